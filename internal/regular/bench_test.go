package regular

import "testing"

func BenchmarkCompile(b *testing.B) {
	for _, bb := range []struct{ name, pattern string }{
		{"letters", `^[a-z]+$`},
		{"search", `foo`},
		{"identifier", `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`},
		{"date", `^\d{4}-\d{2}-\d{2}$`},
		{"uuid", `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`},
		{"email", `^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`},
		{"property", `^\p{L}+$`},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(bb.pattern, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSubset(b *testing.B) {
	x, y := compile(b, `^[a-z]{1,20}$`), compile(b, `^[a-z0-9_]+$`)
	b.ReportAllocs()
	for b.Loop() {
		if ok, err := Subset(x, y, nil); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	x := compile(b, `^[a-z]{3,20}$`)
	b.ReportAllocs()
	for b.Loop() {
		if len(Find(x, 0, -1, nil, 3)) != 3 {
			b.Fatal("not found")
		}
	}
}
