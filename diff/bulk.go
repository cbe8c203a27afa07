package diff

import "encoding/json"

// maxBulk is how many bytes of values the changes of one item may show together. A thousand changes of a list of a thousand
// names, each told with the whole list before and after, are a million names that nobody reads.
const maxBulk = 4 << 20

// slim leaves out the values and proofs of the changes that go beyond maxBulk, and says so. It comes before fingerprints.
func (d *ContractDiff) slim() {
	left := maxBulk
	for i := range d.Changes {
		c := &d.Changes[i]
		size := bulk(c.Before, left)
		size += bulk(c.After, left-size)
		if c.Witness != nil {
			size += bulk(c.Witness.Value, left-size)
		}
		if size <= left {
			left -= size
			continue
		}
		c.Before, c.After, c.Witness = nil, nil, nil
		if c.Hint != "" {
			c.Hint += "; "
		}
		c.Hint += "its values are left out: the other changes of this item show megabytes already"
	}
}

// bulk is about the length of a value as JSON, or something beyond most.
func bulk(v any, most int) int {
	size := 4
	switch v := v.(type) {
	case string:
		size += len(v)
	case json.Number:
		size += len(v)
	case []any:
		for _, item := range v {
			if size += bulk(item, most-size); size > most {
				break
			}
		}
	case map[string]any:
		for name, member := range v { // the order matters only beyond most, where all that counts is that it is beyond
			if size += len(name) + bulk(member, most-size); size > most {
				break
			}
		}
	}
	return size
}
