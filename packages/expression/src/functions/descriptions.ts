import type { Value } from '../value.ts'

/** The description of a function in the reference page and in editors. */
export interface FunctionDescription {
  /** One sentence for the reference page. */
  readonly summary: string
  /** A tested example; `input` is the input that it reads. */
  readonly example: { readonly expression: string; readonly input?: Value; readonly value: Value }
}

/**
 * The descriptions of all built-in functions by name. They are separate from the definitions so that bundles of
 * programs that only decide can omit them.
 */
export const DESCRIPTIONS: Readonly<Record<string, FunctionDescription>> = {
  // Text
  len: {
    summary: 'The number of characters of a string, elements of a list, or keys of an object.',
    example: { expression: 'len("hello")', value: 5 },
  },
  upper: {
    summary: 'The text in upper case.',
    example: { expression: 'upper("abc")', value: 'ABC' },
  },
  lower: {
    summary: 'The text in lower case.',
    example: { expression: 'lower("ABC")', value: 'abc' },
  },
  trim: {
    summary: 'The text without white space at both ends.',
    example: { expression: 'trim("  a b ")', value: 'a b' },
  },
  starts_with: {
    summary: 'Whether a text starts with another; false when one is null.',
    example: { expression: 'starts_with("rule-7", "rule")', value: true },
  },
  ends_with: {
    summary: 'Whether a text ends with another; false when one is null.',
    example: { expression: 'ends_with("a.txt", ".txt")', value: true },
  },
  contains: {
    summary: 'Whether a string contains another, or a list an element; the same as `a contains b`.',
    example: { expression: 'contains([1, 2], 2)', value: true },
  },
  contains_str: {
    summary: 'Whether a string contains another; false when one is null.',
    example: { expression: 'contains_str("abc", "b")', value: true },
  },
  substring: {
    summary: 'The characters from `start` up to, not including, `end`; negative positions count from the end.',
    example: { expression: 'substring("abcdef", 1, 3)', value: 'bc' },
  },
  char_at: {
    summary: 'The character at a position, counting from the end when negative; null when out of range.',
    example: { expression: 'char_at("abc", 1)', value: 'b' },
  },
  index_of: {
    summary: 'The first position of a substring, or of an element in a list; -1 when it is absent.',
    example: { expression: 'index_of("hello", "l")', value: 2 },
  },
  replace: {
    summary: 'The text with every occurrence of `from` replaced.',
    example: { expression: 'replace("a-b-c", "-", "+")', value: 'a+b+c' },
  },
  split: {
    summary: 'The parts between separators; with an empty separator the characters.',
    example: { expression: 'split("a,b,c", ",")', value: ['a', 'b', 'c'] },
  },
  join: {
    summary: 'The texts of a list joined into one, with an optional separator.',
    example: { expression: 'join(["a", "b"], "-")', value: 'a-b' },
  },
  pad_left: {
    summary: 'The text padded on the left to a width, with blanks or the given text.',
    example: { expression: 'pad_left("7", 3, "0")', value: '007' },
  },
  pad_right: {
    summary: 'The text padded on the right to a width, with blanks or the given text.',
    example: { expression: 'pad_right("ab", 4, ".")', value: 'ab..' },
  },
  format: {
    summary: 'A template in which `{0}`, `{1}` … are replaced by the values that follow.',
    example: { expression: 'format("{0} of {1}", 3, "ten")', value: '3 of ten' },
  },
  sprintf: {
    summary:
      'A template in which each `%s`, `%d`, `%f` or `%v` is replaced by the next value of a list; placeholders without a value stay, surplus values are ignored.',
    example: { expression: 'sprintf("%s of %d", ["one", 3])', value: 'one of 3' },
  },

  // Patterns
  matches: {
    summary: 'Whether a regular expression (RE2) matches anywhere in a text; false when one is null.',
    example: { expression: 'matches("order-17", "^order-\\\\d+$")', value: true },
  },
  regex_match: {
    summary: 'The same as `matches`, with the pattern first.',
    example: { expression: 'regex_match("\\\\d", "a1")', value: true },
  },
  regex_find: {
    summary: 'The first match in a text, else null.',
    example: { expression: 'regex_find("\\\\d+", "a12b3")', value: '12' },
  },
  regex_find_all: {
    summary: 'All matches in a text.',
    example: { expression: 'regex_find_all("\\\\d+", "a12b3")', value: ['12', '3'] },
  },
  regex_replace: {
    summary: 'The text with every match replaced; `$1` refers to the first group.',
    example: { expression: 'regex_replace("(\\\\w+)@\\\\w+", "ada@home", "$1")', value: 'ada' },
  },
  regex_split: {
    summary: 'The parts of a text between matches.',
    example: { expression: 'regex_split("[,;]", "a,b;c")', value: ['a', 'b', 'c'] },
  },
  glob_match: {
    summary:
      'Whether a glob matches a whole text: `*` within a segment, `**` across `/`, `?`, `[a-z]`; false when one is null.',
    example: { expression: 'glob_match("docs/**/*.md", "docs/a/b.md")', value: true },
  },

  // Numbers
  abs: {
    summary: 'The absolute value.',
    example: { expression: 'abs(-3)', value: 3 },
  },
  min: {
    summary:
      'The smallest element of a list, or of several arguments, all numbers or all strings; null for an empty list.',
    example: { expression: 'min(3, 1, 2)', value: 1 },
  },
  max: {
    summary:
      'The largest element of a list, or of several arguments, all numbers or all strings; null for an empty list.',
    example: { expression: 'max([3, 1, 2])', value: 3 },
  },
  floor: {
    summary: 'The largest integer that is not greater.',
    example: { expression: 'floor(2.5)', value: 2 },
  },
  ceil: {
    summary: 'The smallest integer that is not less.',
    example: { expression: 'ceil(2.5)', value: 3 },
  },
  round: {
    summary:
      'Rounded to whole numbers, or to so many decimal places (-15 to 15), by a [mode](semantics.md#rounding); without one half away from zero.',
    example: { expression: 'round(2.345, 2)', value: 2.35 },
  },
  sqrt: {
    summary: 'The square root; an error for a negative number.',
    example: { expression: 'sqrt(9)', value: 3 },
  },
  pow: {
    summary: 'The base to the power of the exponent; exact for integers.',
    example: { expression: 'pow(2, 10)', value: 1024 },
  },
  sum: {
    summary: "The sum of a list of numbers, or of a function's results for each element; 0 for an empty list.",
    example: { expression: 'sum(items, i => i.price)', input: { items: [{ price: 2 }, { price: 3 }] }, value: 5 },
  },
  avg: {
    summary: "The mean of a list of numbers, or of a function's results for each element; null for an empty list.",
    example: { expression: 'avg([1, 2, 6])', value: 3 },
  },

  // Lists
  count: {
    summary: 'The number of elements, or of those for which a test is true.',
    example: { expression: 'count([1, 5, 9], x => x > 3)', value: 2 },
  },
  any: {
    summary: 'Whether a test is true for at least one element; false for an empty list.',
    example: { expression: 'any([1, 5], x => x > 3)', value: true },
  },
  all: {
    summary: 'Whether a test is true for every element; true for an empty list.',
    example: { expression: 'all([1, 5], x => x > 3)', value: false },
  },
  none: {
    summary: 'Whether a test is true for no element; true for an empty list.',
    example: { expression: 'none([1, 2], x => x > 3)', value: true },
  },
  filter: {
    summary: 'The elements for which a test is true.',
    example: { expression: 'filter([1, 5, 9], x => x > 3)', value: [5, 9] },
  },
  map: {
    summary: 'The results of a function for each element.',
    example: { expression: 'map([1, 2], (x, i) => x * 10 + i)', value: [10, 21] },
  },
  find: {
    summary: 'The first element for which a test is true, else null.',
    example: { expression: 'find([1, 5, 9], x => x > 3)', value: 5 },
  },
  first: {
    summary: 'The first element; null for an empty list.',
    example: { expression: 'first([3, 4])', value: 3 },
  },
  last: {
    summary: 'The last element; null for an empty list.',
    example: { expression: 'last([3, 4])', value: 4 },
  },
  distinct: {
    summary: 'The list without elements that are equal to an earlier one.',
    example: { expression: 'distinct([1, 2, 1])', value: [1, 2] },
  },
  unique: {
    summary: 'The same as `distinct`.',
    example: { expression: 'unique(["a", "a"])', value: ['a'] },
  },
  sort: {
    summary: "The list in ascending order, by the elements or by a function's result for each; stable.",
    example: { expression: 'sort([3, 1, 2])', value: [1, 2, 3] },
  },
  reverse: {
    summary: 'The list in reverse order.',
    example: { expression: 'reverse([1, 2, 3])', value: [3, 2, 1] },
  },
  slice: {
    summary: 'The elements from `start` up to, not including, `end`; negative positions count from the end.',
    example: { expression: 'slice([1, 2, 3, 4], 1, 3)', value: [2, 3] },
  },
  flatten: {
    summary: 'The list with inner lists flattened by one level.',
    example: { expression: 'flatten([[1, 2], 3, [[4]]])', value: [1, 2, 3, [4]] },
  },
  array_concat: {
    summary: 'The lists joined into one.',
    example: { expression: 'array_concat([1], [2, 3])', value: [1, 2, 3] },
  },
  range: {
    summary:
      'Integers from `start` up to, not including, `end`, by an integer step that may be negative: `range(0.5, 3)` returns 1 and 2.',
    example: { expression: 'range(0, 6, 2)', value: [0, 2, 4] },
  },
  map_extract: {
    summary: 'The values at a path in each element; null where it is missing.',
    example: { expression: 'map_extract([{"a": 1}, {}], "a")', value: [1, null] },
  },
  filter_by: {
    summary: 'The elements whose value at a path is equal to a value.',
    example: { expression: 'filter_by([{"a": 1}, {"a": 2}], "a", 2)', value: [{ a: 2 }] },
  },
  group_by: {
    summary: 'An object of lists: the elements by the text of their value at a path.',
    example: {
      expression: 'group_by([{"k": "x"}, {"k": "y"}, {"k": "x"}], "k")',
      value: { x: [{ k: 'x' }, { k: 'x' }], y: [{ k: 'y' }] },
    },
  },

  // Objects
  keys: {
    summary: 'The keys of an object: integer keys first, ascending, then the others in insertion order.',
    example: { expression: 'keys({"a": 1, "b": 2})', value: ['a', 'b'] },
  },
  values: {
    summary: 'The values of an object, in the order of its keys.',
    example: { expression: 'values({"a": 1, "b": 2})', value: [1, 2] },
  },
  has_key: {
    summary: 'Whether an object has a key, even with the value null; false when an argument is null.',
    example: { expression: 'has_key({"a": null}, "a")', value: true },
  },
  object_get: {
    summary: 'The value under a key, including null; else the default, else null.',
    example: { expression: 'object_get({"a": 1}, "b", 0)', value: 0 },
  },
  merge: {
    summary: 'The objects merged into one; for a repeated key the last value wins.',
    example: { expression: 'merge({"a": 1, "b": 1}, {"b": 2})', value: { a: 1, b: 2 } },
  },
  graph_reachable: {
    summary:
      'The nodes reachable from the sources, including the sources, in breadth-first order; the graph lists the neighbours of each node.',
    example: { expression: 'graph_reachable({"a": ["b"], "b": ["c"], "d": []}, ["a"])', value: ['a', 'b', 'c'] },
  },

  // Types
  type: {
    summary: 'The type of a value: `null`, `boolean`, `number`, `string`, `array` or `object`.',
    example: { expression: 'type([1])', value: 'array' },
  },
  is_null: {
    summary: 'Whether a value is null or missing; never an error in strict mode.',
    example: { expression: 'is_null(absent)', value: true },
  },
  is_number: {
    summary: 'Whether a value is a number.',
    example: { expression: 'is_number(value)', input: { value: 1 }, value: true },
  },
  is_string: {
    summary: 'Whether a value is a string.',
    example: { expression: 'is_string(value)', input: { value: 'a' }, value: true },
  },
  is_bool: {
    summary: 'Whether a value is true or false.',
    example: { expression: 'is_bool(value)', input: { value: false }, value: true },
  },
  is_array: {
    summary: 'Whether a value is a list.',
    example: { expression: 'is_array(value)', input: { value: [] }, value: true },
  },
  is_object: {
    summary: 'Whether a value is an object.',
    example: { expression: 'is_object(value)', input: { value: {} }, value: true },
  },
  exists: {
    summary: 'Whether the path exists in the input, even with the value null.',
    example: { expression: 'exists(a.b)', input: { a: { b: null } }, value: true },
  },
  coalesce: {
    summary: 'The first argument that is not null or missing, else null; later arguments are not evaluated.',
    example: { expression: 'coalesce(absent, null, 3)', value: 3 },
  },
  to_number: {
    summary: 'The number in a text; 1 and 0 for true and false; a number unchanged.',
    example: { expression: 'to_number("12.5")', value: 12.5 },
  },
  to_float: {
    summary: 'The same as `to_number`.',
    example: { expression: 'to_float("1e3")', value: 1000 },
  },
  decimal: {
    summary: 'The same as `to_number`; only where `config.numbers` is `decimal` ([numbers.md](numbers.md)).',
    example: { expression: 'decimal("19.99")', value: 19.99 },
  },
  to_int: {
    summary: 'Like `to_number`, without the fraction.',
    example: { expression: 'to_int("-3.9")', value: -3 },
  },
  to_string: {
    summary: 'A string unchanged, everything else as compact JSON.',
    example: { expression: 'to_string([1, "a"])', value: '[1,"a"]' },
  },
  to_bool: {
    summary: 'The truth of a value: null, false, 0, "", [] and {} are false.',
    example: { expression: 'to_bool("no")', value: true },
  },

  // Time
  now: {
    summary: 'The time of the execution, constant during the execution; the caller may set it.',
    example: { expression: 'len(now())', value: 24 },
  },
  now_millis: {
    summary: 'The time of the execution in milliseconds since 1970 UTC.',
    example: { expression: 'now_millis() == now_millis()', value: true },
  },
  date: {
    summary: 'A date as `YYYY-MM-DD`, or a time in UTC with milliseconds; a time without an offset is UTC.',
    example: { expression: 'date("2026-11-20T10:00:00+02:00")', value: '2026-11-20T08:00:00.000Z' },
  },
  date_add: {
    summary: 'A date plus an amount of years, months, weeks, days, hours, minutes, seconds or milliseconds.',
    example: { expression: 'date_add("2024-01-31", 1, "month")', value: '2024-02-29' },
  },
  date_diff: {
    summary: 'The number of whole units from `b` to `a`; negative when `a` is earlier.',
    example: { expression: 'date_diff("2026-11-20", "2008-11-21", "years")', value: 17 },
  },
  year: {
    summary: 'The year.',
    example: { expression: 'year("2026-11-20T22:30:00Z")', value: 2026 },
  },
  month: {
    summary: 'The month, 1 to 12.',
    example: { expression: 'month("2026-11-20T22:30:00Z")', value: 11 },
  },
  day: {
    summary: 'The day of the month.',
    example: { expression: 'day("2026-11-20T22:30:00Z")', value: 20 },
  },
  hour: {
    summary: 'The hour, 0 to 23.',
    example: { expression: 'hour("2026-11-20T22:30:00Z")', value: 22 },
  },
  day_of_week: {
    summary: 'The day of the week: 1 is Monday, 7 is Sunday.',
    example: { expression: 'day_of_week("2026-11-20T22:30:00Z")', value: 5 },
  },
  format_date: {
    summary:
      'A date by a pattern of `YYYY MM DD HH mm ss SSS`; other characters stay, but words such as `MMMM` or `dd` are an error.',
    example: { expression: 'format_date("2026-11-20T10:05:00Z", "DD.MM.YYYY HH:mm")', value: '20.11.2026 10:05' },
  },

  // Unix time
  parse_time: {
    summary:
      'The Unix seconds of a text in a `strptime` format with a date and a time of day; UTC unless the format has an offset (`%z`).',
    example: { expression: 'parse_time("20.11.2026 10:05", "%d.%m.%Y %H:%M")', value: 1795169100 },
  },
  format_time: {
    summary: 'A time, as Unix seconds or ISO 8601 text, in a `strftime` format, in UTC.',
    example: { expression: 'format_time(1795169100, "%A, %d %b %Y, %H:%M")', value: 'Friday, 20 Nov 2026, 10:05' },
  },
  time_diff: {
    summary:
      'The number of whole seconds, minutes, hours or days (also `s`, `m`, `h`, `d`) from `b` to `a`, both Unix seconds or ISO 8601 text.',
    example: { expression: 'time_diff(1795169100, 1795161900, "hours")', value: 2 },
  },
  time_of_day: {
    summary: 'The time of day `HH:MM:SS` in UTC of Unix seconds or ISO 8601 text.',
    example: { expression: 'time_of_day(1795169100)', value: '10:05:00' },
  },

  // Networks
  cidr_contains: {
    summary: 'Whether an address lies in a network; false when one is null.',
    example: { expression: 'cidr_contains("10.0.0.0/8", "10.1.2.3")', value: true },
  },
  cidr_intersects: {
    summary: 'Whether two networks have addresses in common; false when one is null.',
    example: { expression: 'cidr_intersects("10.0.0.0/8", "10.9.0.0/16")', value: true },
  },

  // Versions
  semver_compare: {
    summary: '-1, 0 or 1: whether a version is lower than, equal to or higher than another.',
    example: { expression: 'semver_compare("1.10.0", "1.9.0")', value: 1 },
  },
  semver_is_valid: {
    summary: 'Whether a text is a semantic version; false for null.',
    example: { expression: 'semver_is_valid("1.2")', value: false },
  },

  // Encoding
  base64_encode: {
    summary: 'Encodes a text in Base64 (RFC 4648).',
    example: { expression: 'base64_encode("abc")', value: 'YWJj' },
  },
  base64_decode: {
    summary: 'Decodes Base64 (RFC 4648).',
    example: { expression: 'base64_decode("YWJj")', value: 'abc' },
  },
  base64url_encode: {
    summary: 'Encodes a text in Base64 with the URL-safe alphabet (RFC 4648, section 5), without padding.',
    example: { expression: 'base64url_encode("a?>")', value: 'YT8-' },
  },
  base64url_decode: {
    summary: 'Decodes Base64 with the URL-safe alphabet (RFC 4648, section 5), with or without padding.',
    example: { expression: 'base64url_decode("YT8-")', value: 'a?>' },
  },
  hex_encode: {
    summary: 'Encodes a text in hexadecimal digits.',
    example: { expression: 'hex_encode("abc")', value: '616263' },
  },
  hex_decode: {
    summary: 'Decodes hexadecimal digits.',
    example: { expression: 'hex_decode("616263")', value: 'abc' },
  },
  url_encode: {
    summary: 'Percent-encodes all but the unreserved characters (RFC 3986).',
    example: { expression: 'url_encode("a b&c")', value: 'a%20b%26c' },
  },
  url_decode: {
    summary: 'Decodes percent-encoding.',
    example: { expression: 'url_decode("a%20b")', value: 'a b' },
  },
  json_marshal: {
    summary: 'A value as compact JSON text.',
    example: { expression: 'json_marshal({"a": [1, null]})', value: '{"a":[1,null]}' },
  },
  json_unmarshal: {
    summary: 'Parses JSON text into its value.',
    example: { expression: 'json_unmarshal("[1, 2]")', value: [1, 2] },
  },

  // Digests
  md5: {
    summary: 'The MD5 digest in hexadecimal digits; not for security.',
    example: { expression: 'md5("abc")', value: '900150983cd24fb0d6963f7d28e17f72' },
  },
  sha256: {
    summary: 'The SHA-256 digest in hexadecimal digits.',
    example: { expression: 'sha256("abc")', value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  },
  hmac_sha256: {
    summary: 'The HMAC-SHA-256 of a message in hexadecimal digits.',
    example: {
      expression: 'hmac_sha256("key", "abc")',
      value: '9c196e32dc0175f86f4b1cb89289d6619de6bee699e4c378e68309ed97a1a6ab',
    },
  },

  // Tokens
  jwt_encode: {
    summary: 'A JSON Web Token with the given payload, signed with a secret by `HS256` (default), `HS384` or `HS512`.',
    example: {
      expression: 'jwt_encode({"sub": "ada"}, "secret")',
      value: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ._WUDxqbmQQOMXC1oOmMzLUTcQaSLDc_Yd5dB_nPL5z4',
    },
  },
  jwt_verify: {
    summary:
      'Whether a token is signed with the secret by this algorithm (default `HS256`); claims such as `exp` are not checked; false when one is null.',
    example: { expression: 'jwt_verify(jwt_encode({"sub": "ada"}, "secret"), "guess")', value: false },
  },
  jwt_decode: {
    summary: 'The payload of a token, without checking its signature: trust it only where `jwt_verify` is true.',
    example: { expression: 'jwt_decode(jwt_encode({"sub": "ada"}, "secret"))', value: { sub: 'ada' } },
  },
}
