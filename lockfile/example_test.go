package lockfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fusionctl/fusionctl/lockfile"
)

// weather is a contract of one tool.
func weather() *lockfile.File {
	_, forecast, err := lockfile.NewEntry(lockfile.KindTool, map[string]any{
		"name":        "forecast",
		"description": "Tells the weather of a place.",
		"inputSchema": map[string]any{
			"type":       "object",
			"properties": map[string]any{"place": map[string]any{"type": "string"}},
			"required":   []any{"place"},
		},
	})
	if err != nil {
		panic(err)
	}
	server := &lockfile.Server{ProtocolVersion: "2025-11-25"}
	server.SetEntry(lockfile.KindTool, "forecast", forecast)
	return &lockfile.File{Servers: map[string]*lockfile.Server{"weather": server}}
}

func ExampleFormat() {
	text, err := lockfile.Format(weather())
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))
	// Output:
	// {
	//   "integrity": "sha256:2e77c26b7aab9e82c71e41344541ef6bf71cb3eb7a99a4e4ed483b491e001cbf",
	//   "lockfileVersion": 1,
	//   "servers": {
	//     "weather": {
	//       "digest": "sha256:cc0bc6532dee5782a104aaeec500fceb15d324a566a6c5c042e653e4ebcbe193",
	//       "prompts": {},
	//       "protocolVersion": "2025-11-25",
	//       "resourceTemplates": {},
	//       "resources": {},
	//       "tools": {
	//         "forecast": {
	//           "description": "Tells the weather of a place.",
	//           "digest": "sha256:521472cdb33856ec4298994b9a48790d18b5195bca4fb460f57bec71aedf99c5",
	//           "inputSchema": {
	//             "properties": {
	//               "place": {
	//                 "type": "string"
	//               }
	//             },
	//             "required": [
	//               "place"
	//             ],
	//             "type": "object"
	//           }
	//         }
	//       }
	//     }
	//   }
	// }
}

func ExampleParse() {
	text, _ := lockfile.Format(weather())
	file, err := lockfile.Parse(text)
	if err != nil {
		panic(err)
	}
	fmt.Println(file.Servers["weather"].Tools["forecast"].Description())

	edited := strings.Replace(string(text), "weather of a place", "weather of any place", 1)
	_, err = lockfile.Parse([]byte(edited))
	var wrong *lockfile.ParseError
	if errors.As(err, &wrong) && errors.Is(err, lockfile.ErrEdited) {
		fmt.Printf("line %d: %s\n", wrong.Line, wrong.Problem)
	}
	// Output:
	// Tells the weather of a place.
	// line 14: tool "forecast" of server "weather" was edited by hand or by a merge: its digest is sha256:521472cdb338…, its content has sha256:00313883df6f…
}

func ExampleWriteFile() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, lockfile.DefaultName)
	for range 2 {
		changed, err := lockfile.WriteFile(path, weather())
		fmt.Println(changed, err)
	}
	// Output:
	// true <nil>
	// false <nil>
}

func ExampleUpdate() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, lockfile.DefaultName)
	before, changed, err := lockfile.Update(path, func(f *lockfile.File) error {
		f.Servers["weather"] = weather().Servers["weather"] // the other servers of the file stay
		return nil
	})
	fmt.Println(len(before.Servers), changed, err)
	// Output: 0 true <nil>
}

func ExampleEntry_Digest() {
	tool := weather().Servers["weather"].Tools["forecast"]
	fmt.Println(tool.Digest())
	// Output: sha256:521472cdb33856ec4298994b9a48790d18b5195bca4fb460f57bec71aedf99c5
}
