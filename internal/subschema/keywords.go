package subschema

// A draft is one dialect of JSON Schema.
type draft uint8

const (
	draft4 draft = 1 << iota
	draft6
	draft7
	draft2019
	draft2020
)

const (
	allDrafts = draft4 | draft6 | draft7 | draft2019 | draft2020
	since6    = allDrafts &^ draft4
	since7    = since6 &^ draft6
	since2019 = draft2019 | draft2020
	upTo7     = draft4 | draft6 | draft7
)

// A shape is what the value of a keyword must look like, which is also where its sub-schemas are.
type shape uint8

const (
	anyShape      shape = iota // not looked at
	schemaShape                // a schema
	schemaList                 // a non-empty array of schemas
	schemaMap                  // an object of schemas
	schemaOrList               // a schema or an array of schemas
	dependencyMap              // an object of schemas or arrays of names
	nameListMap                // an object of arrays of names
	numberShape                // a number
	positiveShape              // a number above 0
	countShape                 // an integer from 0
	boolShape                  //
	boundShape                 // draft-04: a boolean; later a number
	stringShape                //
	patternShape               // a regular expression
	nameList                   // an array of different strings
	arrayShape                 //
	typeShape                  // a type name or an array of them
	schemaOrBool               // draft-04: a boolean or a schema
)

// A treatment is what the decision does with a keyword.
type treatment uint8

const (
	asserted   treatment = iota // part of the algebra
	applied                     // its sub-schemas are
	located                     // names a place or a dialect; resolved when compiling
	annotation                  // says nothing about acceptance
	optional                    // an assertion only on request: Options.AssertFormat
)

type keyword struct {
	drafts    draft
	shape     shape
	treatment treatment
}

// keywords names every keyword of the five drafts. A keyword that is missing for a draft is an unknown one there and
// says nothing, as the standard wants.
var keywords = map[string]keyword{
	"$schema":               {allDrafts, stringShape, located},
	"id":                    {draft4, stringShape, located},
	"$id":                   {since6, stringShape, located},
	"$anchor":               {since2019, stringShape, located},
	"$dynamicAnchor":        {draft2020, stringShape, located},
	"$recursiveAnchor":      {draft2019, boolShape, located},
	"$ref":                  {allDrafts, stringShape, applied},
	"$dynamicRef":           {draft2020, stringShape, applied},
	"$recursiveRef":         {draft2019, stringShape, applied},
	"$vocabulary":           {since2019, anyShape, located},
	"$comment":              {since7, anyShape, annotation},
	"$defs":                 {since2019, schemaMap, located},
	"definitions":           {allDrafts, schemaMap, located},
	"type":                  {allDrafts, typeShape, asserted},
	"enum":                  {allDrafts, arrayShape, asserted},
	"const":                 {since6, anyShape, asserted},
	"multipleOf":            {allDrafts, positiveShape, asserted},
	"maximum":               {allDrafts, numberShape, asserted},
	"exclusiveMaximum":      {allDrafts, boundShape, asserted},
	"minimum":               {allDrafts, numberShape, asserted},
	"exclusiveMinimum":      {allDrafts, boundShape, asserted},
	"maxLength":             {allDrafts, countShape, asserted},
	"minLength":             {allDrafts, countShape, asserted},
	"pattern":               {allDrafts, patternShape, asserted},
	"items":                 {allDrafts, schemaOrList, applied},
	"prefixItems":           {draft2020, schemaList, applied},
	"additionalItems":       {upTo7 | draft2019, schemaOrBool, applied},
	"contains":              {since6, schemaShape, applied},
	"minContains":           {since2019, countShape, asserted},
	"maxContains":           {since2019, countShape, asserted},
	"maxItems":              {allDrafts, countShape, asserted},
	"minItems":              {allDrafts, countShape, asserted},
	"uniqueItems":           {allDrafts, boolShape, asserted},
	"unevaluatedItems":      {since2019, schemaShape, applied},
	"properties":            {allDrafts, schemaMap, applied},
	"patternProperties":     {allDrafts, schemaMap, applied},
	"additionalProperties":  {allDrafts, schemaOrBool, applied},
	"propertyNames":         {since6, schemaShape, applied},
	"required":              {allDrafts, nameList, asserted},
	"maxProperties":         {allDrafts, countShape, asserted},
	"minProperties":         {allDrafts, countShape, asserted},
	"dependencies":          {allDrafts, dependencyMap, applied},
	"dependentRequired":     {since2019, nameListMap, asserted},
	"dependentSchemas":      {since2019, schemaMap, applied},
	"unevaluatedProperties": {since2019, schemaShape, applied},
	"allOf":                 {allDrafts, schemaList, applied},
	"anyOf":                 {allDrafts, schemaList, applied},
	"oneOf":                 {allDrafts, schemaList, applied},
	"not":                   {allDrafts, schemaShape, applied},
	"if":                    {since7, schemaShape, applied},
	"then":                  {since7, schemaShape, applied},
	"else":                  {since7, schemaShape, applied},
	"format":                {allDrafts, stringShape, optional},
	"contentEncoding":       {since7, anyShape, annotation},
	"contentMediaType":      {since7, anyShape, annotation},
	"contentSchema":         {since2019, schemaShape, annotation},
	"title":                 {allDrafts, anyShape, annotation},
	"description":           {allDrafts, anyShape, annotation},
	"default":               {allDrafts, anyShape, annotation},
	"deprecated":            {since2019, anyShape, annotation},
	"readOnly":              {since7, anyShape, annotation},
	"writeOnly":             {since7, anyShape, annotation},
	"examples":              {since6, anyShape, annotation},
}

// dialects maps the URI of each meta-schema, without scheme and fragment, to its draft.
var dialects = map[string]draft{
	"json-schema.org/draft-04/schema":      draft4,
	"json-schema.org/draft-06/schema":      draft6,
	"json-schema.org/draft-07/schema":      draft7,
	"json-schema.org/draft/2019-09/schema": draft2019,
	"json-schema.org/draft/2020-12/schema": draft2020,
	"draft-04":                             draft4,
	"draft-06":                             draft6,
	"draft-07":                             draft7,
	"2019-09":                              draft2019,
	"2020-12":                              draft2020,
	"draft4":                               draft4,
	"draft6":                               draft6,
	"draft7":                               draft7,
	"draft2019-09":                         draft2019,
	"draft2020-12":                         draft2020,
}

// known reports whether key is a keyword of d. "definitions" stays known after its time, and "dependencies" too: they are
// common in newer schemas, and the validators that clients use read them.
func known(key string, d draft) (keyword, bool) {
	k, ok := keywords[key]
	return k, ok && k.drafts&d != 0
}
