import { evaluate, MAX_BODY, repeat, type Row } from './row.ts'

const MILLION = 1_000_000

/** Expressions of a hundred bytes that would compute for hours, or create without end. */
const SHORT: readonly (readonly [name: string, expression: string, context?: object])[] = [
  ['nested quantifiers and `in`', 'any([range(0,1000000)], l => any(range(0,1000000), i => -1 in l))'],
  [
    'sha256 of a long text, a million times',
    'any([pad_left("",1000000)], s => any(range(0,1000000), i => sha256(s) == ""))',
  ],
  ['md5 likewise', 'any([pad_left("",1000000)], s => any(range(0,1000000), i => md5(s) == ""))'],
  ['hmac likewise', 'any([pad_left("",1000000)], s => any(range(0,1000000), i => hmac_sha256(s, s) == ""))'],
  ['regex_find_all, quadratic', 'len(regex_find_all("a.*b|a", pad_left("",1000000,"a")))'],
  ['regex_split, quadratic', 'len(regex_split("a.*b|a", pad_left("",1000000,"a")))'],
  ['regex_replace, quadratic', 'len(regex_replace("a.*b|a", pad_left("",1000000,"a"), "c"))'],
  ['regex with a large program', 'regex_match("(a?){300}b", pad_left("",1000000,"a"))'],
  ['matches in a loop', 'any([pad_left("",1000000,"a")], s => any(range(0,1000000), i => matches(s, "a.*b$")))'],
  ['glob_match', 'any([pad_left("",1000000,"a")], s => any(range(0,1000000), i => glob_match("*a*a*a*a*a*b", s)))'],
  ['distinct of fractions', 'len(distinct(map(range(0,1000000), x => x + 0.5)))'],
  ['distinct of large integers', 'len(distinct(map(range(0,1000000), x => x + 9007199254740993)))'],
  ['distinct of objects', 'len(distinct(map(range(0,300000), x => {"a": x})))'],
  ['distinct of lists', 'len(distinct(map(range(0,300000), x => [[x]])))'],
  [
    'format_date with a long pattern',
    'any([pad_left("YYYY",1000000,"a")], p => len(map(range(0,1000000), i => format_date(now(), p))) > 0)',
  ],
  ['sort in a loop', 'any([range(0,1000000)], l => any(range(0,1000000), i => len(sort(l, x => -x)) == 0))'],
  [
    'sort of long texts',
    'any([pad_left("",100000,"a")], s => len(sort(map(range(0,100000), i => s + to_string(i)))) == 0)',
  ],
  [
    'group_by',
    'any([map(range(0,100000), i => {"k": i})], l => any(range(0,1000000), i => len(group_by(l, "k")) == 0))',
  ],
  ['index_of in a list', 'any([range(0,1000000)], l => any(range(0,1000000), i => index_of(l, -1) > 0))'],
  [
    'index_of in a text',
    'any([pad_left("",1000000,"a")], s => any(range(0,1000000), i => index_of(s, "aaaaaaaaaaaaaaaaaaaaaaaab") > 0))',
  ],
  [
    'contains, naive search',
    'any([pad_left("b",500000,"a")], n => any([pad_left("",1000000,"a")], s => any(range(0,1000), i => contains(s, n))))',
  ],
  [
    'replace without a hit',
    'any([pad_left("",1000000,"a")], s => any(range(0,1000000), i => replace(s, "b", "") == ""))',
  ],
  ['split and join', 'any([pad_left("",1000000,"a")], s => any(range(0,1000000), i => join(split(s, "b"), "") == ""))'],
  [
    'a rope that is flattened again and again',
    'any([pad_left("",900000,"a")], s => any(range(0,1000000), i => char_at(s + to_string(i), 3) == "b"))',
  ],
  [
    'upper in a loop',
    'any([pad_left("",1000000,"ß")], s => any(range(0,1000000), i => upper(substring(s, 0, 300000)) == ""))',
  ],
  [
    'substring of each length',
    'any([pad_left("",1000000,"a")], s => any(range(0,1000000), i => substring(s, 0, i) == substring(s, 1, i + 1) + "b"))',
  ],
  [
    'sum, min, max of a long list in a loop',
    'any([range(0,1000000)], l => any(range(0,1000000), i => max(l) + min(l) + sum(l) + avg(l) < 0))',
  ],
  ['flatten in a loop', 'any([range(0,1000000)], l => any(range(0,1000000), i => len(flatten([l, l])) == 0))'],
  [
    'reverse, slice, concat in a loop',
    'any([range(0,500000)], l => any(range(0,1000000), i => len(array_concat(reverse(l), slice(l, 1))) == 0))',
  ],
  [
    'map_extract by a long path',
    'any([range(0,1000000)], l => any(range(0,1000000), i => len(map_extract(l, "a.b.c.d.e.f.g.h")) == 0))',
  ],
  [
    'base64 and hex in a loop',
    'any([pad_left("",500000,"a")], s => any(range(0,1000000), i => base64_encode(s) == hex_encode(s)))',
  ],
  ['url_encode in a loop', 'any([pad_left("",300000,"é")], s => any(range(0,1000000), i => url_encode(s) == ""))'],
  [
    'json_marshal in a loop',
    'any([map(range(0,100000), i => {"k": [i]})], l => any(range(0,1000000), i => json_marshal(l) == ""))',
  ],
  [
    'deep equality in a loop',
    'any([map(range(0,100000), i => {"k": [i]})], l => any([map(range(0,100000), i => {"k": [i]})], m => any(range(0,1000000), i => l != m)))',
  ],
  [
    'format with many placeholders',
    'any([pad_left("",300000,"{0}")], s => any(range(0,1000000), i => format(s, "abc") == ""))',
  ],
  [
    'large integers',
    'any(range(0,1000000), i => any(range(0,1000000), j => 9007199254740993 * 9007199254740993 * i % 9007199254740997 == j + 0.5))',
  ],
  ['to_number of a million digits', 'to_number(pad_left("",1000000,"9"))'],
  ['to_int of a million digits', 'to_int(pad_left("",1000000,"9"))'],
  ['date of a long text', 'any([pad_left("",1000000,"2")], s => any(range(0,1000000), i => is_null(date(s))))'],
  [
    'semver_compare of long versions',
    'any([pad_left("1.0.0-a",200000,"1")], s => any(range(0,1000000), i => semver_is_valid(s)))',
  ],
  [
    'cidr_contains in a loop',
    'any(range(0,1000000), i => any(range(0,1000000), j => cidr_contains("10.0.0.0/8", "fe80::1:2:3:4")))',
  ],
  [
    'memory: a million objects, many times',
    'len(map(range(0,1000), i => map(range(0,1000000), j => {"a": {}, "b": [j]})))',
  ],
  ['memory: long texts', 'len(map(range(0,1000000), i => pad_left(to_string(i), 1000000, "ab")))'],
  ['memory: keys', 'len(map(range(0,1000000), i => keys({"a":1,"b":2,"c":3,"d":4})))'],
]

export const EXPRESSIONS: readonly Row[] = [
  ...SHORT.map(([name, expression, context]): Row => ({
    name: `eval: ${name}`,
    request: () => evaluate(expression, context),
  })),
  {
    name: 'eval: long texts that differ at their end',
    request: () =>
      evaluate('all(range(0,1000000), i => a == b)', { a: `${'x'.repeat(MILLION)}1`, b: `${'x'.repeat(MILLION)}1` }),
  },
  {
    name: 'eval: json_unmarshal of a million bytes, 60 times',
    request: () => evaluate('len(map(range(0,60), i => json_unmarshal(s)))', { s: `[${'{},'.repeat(300_000)}{}]` }),
  },
  {
    name: 'eval: json_unmarshal of digits',
    request: () => evaluate('json_unmarshal(s)', { s: `0.${'1'.repeat(900_000)}` }),
  },
  {
    name: 'eval: keys of an object of 500,000, in a loop',
    request: () =>
      evaluate('any(range(0,1000000), i => len(keys(o)) + len(values(o)) + len(merge(o, o)) + len(o) < 0)', {
        o: Object.fromEntries(Array.from({ length: 500_000 }, (_, index) => [`k${index}`, index])),
      }),
  },
  {
    name: 'eval: wildcards over a long list, in a loop',
    request: () =>
      evaluate('any(range(0,1000000), i => len(l.*.a.b) < 0)', {
        l: Array.from({ length: 500_000 }, () => ({ a: 1 })),
      }),
  },
  {
    name: 'eval: 5,000 comparisons of long texts',
    request: () =>
      evaluate(
        repeat(5000, () => 'a == b', ' || '),
        { a: `${'x'.repeat(4_000_000)}1`, b: `${'x'.repeat(4_000_000)}2` },
      ),
  },
  {
    name: 'eval: 64 KiB of arithmetic in a loop',
    request: () => evaluate(`any(range(0,1000000), i => len([${repeat(8, () => `i${'+1'.repeat(3900)}`, ',')}]) < 0)`),
  },
  { name: 'eval: 64 KiB of mistakes', request: () => evaluate('@'.repeat(64 * 1024)) },
  { name: 'eval: 64 KiB of line breaks in a text', request: () => evaluate(`"${'\n'.repeat(64 * 1024 - 2)}"`) },
  { name: 'eval: 64 KiB of unknown functions', request: () => evaluate(`[${repeat(7900, () => 'lenn(1)', ',')}]`) },
  { name: 'eval: an expression of 10 MB', request: () => evaluate('('.repeat(MAX_BODY)) },
]
