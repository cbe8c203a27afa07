package validate

type index struct{}

func newIndex(*Schema) *index { return &index{} }
