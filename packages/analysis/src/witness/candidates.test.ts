import { type EvaluationPolicy, LENIENT, parse, stringifyJson } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { ANY_INPUT } from '../formula/domain.ts'
import { Encoder } from '../formula/encoder.ts'
import { evaluate, HOLDS, truthOf } from '../formula/evaluate.ts'
import { Solver } from '../search/solver.ts'
import { type FurtherSearch, furtherSearch } from './further-search.ts'
import { Model } from './model.ts'

/** The first four inputs for which a condition likely holds, each once; `(not)`: it does not hold for this one. */
function candidatesOf(text: string, policy: EvaluationPolicy, further?: FurtherSearch): string {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  const { expression } = read
  const solver = new Solver()
  const encoder = new Encoder(solver, ANY_INPUT, policy.numbers)
  const { holds } = encoder.truth(expression, policy)
  const model = new Model(encoder, further)
  model.begin()
  const answer = solver.solve([holds], 100_000, () => model.check())
  if (answer !== 'satisfiable') return answer
  const found = Array.from(model.candidates(4), ({ input, now }) => {
    const isRight = truthOf(evaluate(expression, policy, input, undefined, now)) === HOLDS
    return `${stringifyJson(input)}${now === undefined ? '' : `@${now}`}${isRight ? '' : ' (not)'}`
  })
  return [...new Set(found)].join(' | ')
}

type Row = readonly [condition: string, candidates: string]

describe('candidates', () => {
  // Each has comparisons that contradict each other, one of which need not hold.
  test.each<Row>([
    ['(a < b || e) && b < c && c < a', '{"a":3,"b":1,"e":true,"c":2}'],
    ['a < b && (b < c || e) && c < a', '{"a":2,"b":3,"c":1,"e":true}'],
    ['a < b && b < c && (c < a || e)', '{"a":1,"b":2,"c":3,"e":true}'],
    ['a < b && (b <= c || e) && c <= a', '{"a":2,"b":3,"c":1,"e":true}'],
    ['a < b && b <= c && (c <= a || e)', '{"a":1,"b":2,"c":3,"e":true}'],
    ['a < b && (b == c || e) && c < a', '{"a":2,"b":3,"c":1,"e":true}'],
    ['a < b && b == c && (c < a || e)', '{"a":1,"b":2,"c":2,"e":true}'],
    [
      'is_number(a) && is_number(b) && is_number(c) && !(a < b) && (!(b < c) || e) && c > a',
      '{"a":1,"b":1,"c":2,"e":true}',
    ],
    ['(a < b || e) && a > 5 && b < 3', '{"a":6,"b":2,"e":true}'],
    ['a < b && (a > 5 || e) && b < 3', '{"a":1,"b":2,"e":true}'],
    ['a < b && a > 5 && (b < 3 || e)', '{"a":6,"b":7,"e":true}'],
    ['(a == b || e) && a > 5 && b < 3', '{"a":6,"b":2,"e":true}'],
    ['a == b && (a > 5 || e) && b < 3', '{"a":1,"b":1,"e":true}'],
    ['a == b && a > 5 && (b < 3 || e)', '{"a":6,"b":6,"e":true}'],
    ['(a >= b || e) && a < 3 && b > 5', '{"a":2,"b":6,"e":true}'],
    ['a >= b && (a < 3 || e) && b > 5', '{"a":6,"b":6,"e":true}'],
    ['a > b && a <= 3 && (b >= 3 || e)', '{"a":3,"b":2,"e":true}'],
    ['(a > 5 || e) && b > 5 && a + b < 9', '{"a":2,"e":true,"b":6}'],
    ['a > 5 && (b > 5 || e) && a + b < 9', '{"a":6,"b":2,"e":true}'],
    ['a > 5 && b > 5 && (a + b < 9 || e)', '{"a":6,"b":6,"e":true}'],
    ['(a > 5 || e) && b > 5 && (a + b) * 2 < 18', '{"a":2,"e":true,"b":6}'],
    [
      'a > 5 && b > 5 && c > 0 && ((a + b) * c < 9 || e)',
      '{"a":6,"b":6,"c":0.4} | {"a":6,"b":6,"c":0.4,"e":0} | {"a":6,"b":6,"c":0.4,"e":""} | {"a":6,"b":6,"c":0.4,"e":[]}',
    ],
    ['(a + b < 3 || e) && a > b && b > 4', '{"a":6,"b":5,"e":true}'],
    ['a + b < c && (c < 4 || e) && a > 3 && b > 3', '{"a":12,"b":12,"c":1000004,"e":true}'],
    ['a < 10 && b < 10 && is_number(a * b) && a * b > 1000', '{"a":-501,"b":-2}'],
    ['(min(a, b) > 5 || e) && a < 3', '{"a":2,"b":1,"e":true}'],
    [
      '(floor(a) > 5 || e) && a < 3',
      '{"a":2,"e":true} | {"a":0,"e":true} | {"a":1,"e":true} | {"a":-1.7976931348623157e+308,"e":true}',
    ],
  ])('%s', (condition, candidates) => {
    expect(candidatesOf(condition, LENIENT, furtherSearch)).toBe(candidates)
  })

  test.each<Row>([
    ['s > "m" && ends_with(s, "k") && !contains(s, "m")', '{"s":"xxk"}'],
    ['s < "c" && ends_with(s, "x")', '{"s":"--x"}'],
    ['s > "ab" && contains(s, "b") && !contains(s, "~")', '{"s":"ab--"}'],
    ['s <= "x" && ends_with(s, "x")', '{"s":"x"}'],
    ['s < "x" && ends_with(s, "x")', '{"s":"--x"}'],
    ['s <= "xx" && contains(s, "x") && s >= "xx"', '{"s":"xx"}'],
    ['starts_with(s, "k") && ends_with(s, "k") && !contains(s, "~") && s != "k"', '{"s":"kk"}'],
    ['a > b && is_number(b) && exists(c)', '{"a":2,"b":1,"c":null}'],
    ['a < b || is_string(a)', '{"a":1,"b":2}'],
    ['a == b && is_string(a)', '{"a":"text","b":"text"}'],
    ['a + b > 3 && is_string(c)', '{"a":3,"b":1,"c":"text"}'],
    ['a * 10 > 1e308 && is_number(a)', '{"a":1.7976931348623158e+307}'],
    ['a > 1 && a < 1.0000000000000004', '{"a":1.0000000000000002}'],
    ['a >= 1 && a < b && b < 1.0000000000000004', '{"a":1,"b":1.0000000000000002}'],
    ['a + b == 5 && !exists(c) && c == null', '{"a":4,"b":1}'],
    ['a > -3 && a < 3 && b == a', '{"a":1,"b":1}'],
    ['a < b && a < c && b < c && c < 3', '{"a":1,"b":2,"c":2.5}'],
    ['a < b && c < b && b < 3 && a > 1', '{"a":2,"b":2.5,"c":1}'],
    [
      'a <= b && b <= c && a > 7 && c < 9',
      '{"a":8,"b":16,"c":1} (not) | {"a":28,"b":16,"c":5} (not) | {"a":1.7976931348623157e+308,"b":9,"c":6} (not) | {"a":8,"b":1,"c":1} (not)',
    ],
    ['a != b && a == 3 && b >= 3', '{"a":3,"b":4}'],
    ['a != b && b == 3 && a <= 3', '{"a":1,"b":3}'],
    ['item in list', '{"item":null,"list":[null]}'],
    ['item in list && item != null', '{"item":false,"list":[false]}'],
    ['now_millis() > n && n > 5', '{"n":6}@7'],
    ['sum(l, x => x) == 9007199254740993', '{"l":[9007199254740993]} | {"l":[true]} (not)'],
    ['sum(l, x => x.n) == 12 && len(l) == 2', '{"l":[{"n":6},{"n":6}]} | {"l":[{"n":true},{"n":true}]} (not)'],
    [
      'contains(s, "p") && contains(s, "q") && !contains(s, "pq") && !contains(s, "-") && !contains(s, "_") && !contains(s, " ") && !contains(s, "0") && !contains(s, "x")',
      '{"s":"textpq"} (not)',
    ],
    ['!exists(s) && (matches(s, "a") || b)', '{"b":true}'],
    ['len(s) == 0 && len(l) == 0', '{"s":"","l":""} | {"s":[],"l":[]}'],
    ['substring(s, 0, 3) == "abc" && matches(s, "[a-z]{5}")', '{"s":"abcaa"}'],
    ['avg(l, x => x.n) == 4 && any(l, x => x.t == "a")', '{"l":[{"n":4,"t":"a"}]} | {"l":[{"n":true,"t":"a"}]} (not)'],
    ['count(reverse(l), x => x > 2) == 2', '{"l":[3,3]} | {"l":[8,8]}'],
    ['any(sort(l), x => x > 2)', '{"l":[3]} | {"l":[8]}'],
    ['any(coalesce(l, []), x => x > 2)', '{"l":[3]} | {"l":[8]}'],
    ['trim(s) == "x"', '{"s":"x"}'],
    ['abs(to_number(s)) == 3', '{"s":3}'],
    ['round(to_number(s)) == 3', '{"s":3}'],
    ['min(to_number(s), 5) == 3', '{"s":3}'],
    ['max(to_number(s), 5) == 7', '{"s":7}'],
    ['none(l, x => x == 1) && len(l) == 2', '{"l":[null,null]} | {"l":[1,1]} (not)'],
    ['is_number(s) && len(l) == s', '{"s":1,"l":"x"} | {"s":1,"l":[0]}'],
    ['a + b > 100 && a < 10 && b < 95', '{"a":9,"b":94}'],
    ['a - b >= 5 && a <= 7 && b >= 1', '{"a":7,"b":1}'],
    ['a * b == 12 && a >= 2 && a <= 4', '{"a":2,"b":6}'],
    ['a * b == 12 && a > 2 && b > 2 && a < b', '{"a":3,"b":4}'],
    ['a / b == 2.5 && b > 3 && b < 9', '{"a":10,"b":4}'],
    ['a * a == 49', '{"a":-7}'],
    ['a * a > 50 && a * a < 60 && a < 0', '{"a":-7.5}'],
    ['a + b == 7 && a - b == 1', '{"a":4,"b":3}'],
    ['a * 3 == b && b > 10 && b < 14', '{"a":4,"b":12}'],
    ['1e308 * a > 5 || a * 1e308 == 1', '{"a":1}'],
    ['abs(a - b) > 100 && a < 5', '{"a":4,"b":-97}'],
    ['round(a, 1) == 2.5', '{"a":2.45} | {"a":2.5499999999999994} | {"a":2.52}'],
    ['round(a * b, 2) == 19.99 && b > 1', '{"a":9.995,"b":2}'],
    ['floor(a / 3) == 4 && a != 12', '{"a":14.999999999999998} | {"a":14.5} | {"a":13}'],
    ['ceil(a) == 3 && a < 3', '{"a":2.0000000000000004} | {"a":2.5} | {"a":2.8}'],
    ['a % 7 == 3 && a > 70', '{"a":73}'],
    ['a % b == 2 && b > 5 && b < 7', '{"a":1.7976931348623157e+308,"b":6}'],
    ['min(a, b) > 5 && max(a, b) < 6', '{"a":5.5,"b":5.5}'],
    ['a < b && b < c && c <= a + 2', '{"a":0,"b":5e-324,"c":1}'],
    ['a <= b && b <= a && a > 1', '{"a":2,"b":2}'],
    ['a == b && b == c && a != 1', '{}'],
    ['a < b && a > b - 1', '{"a":5e-324,"b":1}'],
    ['a != b && a > 5 && a < 6 && b > 5 && b < 6', '{"a":5.5,"b":5.8}'],
    ['a > 9007199254740993 && a < 9007199254740995', '{"a":9007199254740994} | {"a":9.007199254740994e+15}'],
    ['a >= 0 && a < 1e-300', '{"a":0} | {"a":5e-301} | {"a":8e-301}'],
    ['a > -0.5 && a < 0.25', '{"a":0} | {"a":0.1} | {"a":-0.3}'],
    ['a < b && b <= 5 && a >= 5', 'unsatisfiable'],
    ['a * 2 > b && b > 100 && a < 60', '{"a":59,"b":101}'],
    ['-(a * b) > 10 && a > 0', '{"a":1,"b":-11}'],
    ['a - a == 0', '{"a":1}'],
    ['a + 1 > a && a > 3', '{"a":4}'],
    ['a / 4 == b && b == 2', '{"a":8,"b":2}'],
    ['100 / a > 3 && a > 20', '{"a":21}'],
    ['a * 1.1 + b * 2.2 == 33 && a > 1', '{"a":29.999999999999996,"b":0}'],
    ['s < "m" && s > "k" && ends_with(s, "x")', '{"s":"k~x"}'],
    ['s > "abc" && s < "abd"', '{"s":"abc~"}'],
    ['s >= "b" && s < "c" && contains(s, "zz")', '{"s":"b~zz"}'],
    ['starts_with(s, "ab") && ends_with(s, "yz") && contains(s, "mn")', '{"s":"ab~mnyz"}'],
    ['starts_with(s, "ab") && !contains(s, "-") && ends_with(s, "c")', '{"s":"ab~c"}'],
    ['contains(s, "a") && !contains(s, "aa") && starts_with(s, "a")', '{"s":"a"}'],
    ['contains(s, "ab") && contains(s, "bc") && !contains(s, "abc")', '{"s":"textabbc"}'],
    [
      'contains(s, "x") && contains(s, "y") && !contains(s, "xy") && !contains(s, "-") && !contains(s, "_")',
      '{"s":"texty"}',
    ],
    [
      'contains(s, "x") && contains(s, "y") && !contains(s, "xy") && !contains(s, "-") && !contains(s, "_") && !contains(s, " ")',
      '{"s":"texty"}',
    ],
    [
      'contains(s, "x") && contains(s, "y") && !contains(s, "xy") && !contains(s, "-") && !contains(s, "_") && !contains(s, " ") && !contains(s, "0")',
      '{"s":"texty"}',
    ],
    ['s != "" && s < "a"', '{"s":"A"}'],
    ['s > "text" && s < "text~"', '{"s":"texta"}'],
    ['is_string(s) && s != "text" && !contains(s, "t")', '{"s":""}'],
    ['s == "a" || s == "b"', '{"s":"a"}'],
    ['s in ["p", "q"] && s != "p"', '{"s":"q"}'],
    ['!(s in ["p", "q"]) && is_string(s)', '{"s":""}'],
    ['contains(l, "x") && contains(l, "y") && is_array(l)', '{"l":["x","y"]}'],
    ['"x" in l && !("y" in l)', '{"l":"text"}'],
    ['l == [1, [2]] || l == {"a": 1}', '{"l":[1,[2]]}'],
    ['o == {"a": {"b": [1]}}', '{"o":{"a":{"b":[1]}}}'],
    ['is_object(o) && o != {}', '{"o":{"other":1}}'],
    ['is_array(l) && l != []', '{"l":["another value"]}'],
    ['l == []', '{"l":[]}'],
    ['len(l) == 3', '{"l":"xxx"} | {"l":[0,0,0]}'],
    ['len(s) == 4 && is_string(s)', '{"s":"xxxx"} | {"s":"text"}'],
    ['count(l, x => x > 3) == 2', '{"l":[4,4]} | {"l":[12,12]}'],
    ['any(l, x => x.n > 3 && x.t == "q")', '{"l":[{"n":4,"t":"q"}]} | {"l":[{"n":12,"t":"q"}]}'],
    ['all(l, x => x > 3) && len(l) == 2', '{"l":[4,4]} | {"l":[12,12]}'],
    ['none(l, x => x > 3) && len(l) == 1', '{"l":[null]} | {"l":[4]} (not) | {"l":[12]} (not)'],
    [
      'sum(l, x => x.n) == 12 && len(l) == 3',
      '{"l":[{"n":4},{"n":4},{"n":4}]} | {"l":[{"n":true},{"n":true},{"n":true}]} (not)',
    ],
    ['avg(l, x => x) == 4', '{"l":[4]} | {"l":[true]} (not)'],
    ['any(filter(l, x => x.k == "a"), x => x.n > 7)', '{"l":[{"n":8,"k":"a"}]} | {"l":[{"n":28,"k":"a"}]}'],
    ['any(l, x => any(x.m, y => y == 2))', '{"l":[{"m":[2]}]}'],
    ['matches(s, "^[A-Z]{2}-\\\\d{3}$")', '{"s":"AA-000"}'],
    ['regex_match("x+y", s)', '{"s":"xy"} | {"s":"xxy"}'],
    ['lower(s) == "abc"', '{"s":"abc"}'],
    ['substring(s, 2, 4) == "xy"', '{"s":"xxxy"}'],
    ['substring(s, 0, 1) == "q" && matches(s, "^[a-z]+7$")', '{"s":"q7"} | {"s":"qa7"}'],
    ['to_number(s) > 5', '{"s":6} | {"s":20} | {"s":1.7976931348623157e+308}'],
    ['to_string(a) == "7"', '{"a":"7"}'],
    ['coalesce(a, b) == 3', '{"a":3} | {"a":3,"b":false} | {"a":3,"b":true} | {"a":3,"b":-1.7976931348623157e+308}'],
    ['coalesce(a, 4) == 4', '{}'],
    ['a == null && exists(a)', '{"a":null}'],
    ['!exists(a) && b == 1', '{"b":1}'],
    ['o.a.b == 5 && o.a.c == "x"', '{"o":{"a":{"b":5,"c":"x"}}}'],
    ['o.a == 5 || o.a.b == 6', '{"o":{"a":5}}'],
    ['type(a) == "object" && a.x == 1', '{"a":{"other":1,"x":1}}'],
    [
      'is_number(a) || is_string(a)',
      '{"a":1} | {"a":0} | {"a":1.7976931348623157e+308} | {"a":-1.7976931348623157e+308}',
    ],
    ['a == true || a == 5', '{"a":true}'],
    [
      'if a > 3 then b == 1 else c == 2',
      '{"a":4,"b":1} | {"a":12,"b":1,"c":true} | {"a":1.7976931348623157e+308,"b":1,"c":1.7976931348623157e+308} | {"a":4,"b":1,"c":"text"}',
    ],
    [
      'a > 3 || !(b > 3)',
      '{"a":4} | {"a":12,"b":false} | {"a":1.7976931348623157e+308,"b":true} | {"a":4,"b":-1.7976931348623157e+308}',
    ],
    ['now_millis() > 1000 && now_millis() < 1002', '{}@1001 | {}@1001.5 | {}@1000.5'],
    ['item in list && item == 7', '{"item":7,"list":[7]}'],
    ['a in [1, 2, 3] && a > 2', '{"a":3}'],
    [
      'length_of == 1 || len(l) == 0',
      '{"length_of":1} | {"length_of":1,"l":false} | {"length_of":1,"l":true} | {"length_of":1,"l":-1.7976931348623157e+308}',
    ],
    ['a > 0.1 && a < 0.2 && a != 0.15', '{"a":0.13} | {"a":0.125} | {"a":0.14} | {"a":0.11}'],
    ['a != 0 && a > -1 && a < 1', '{"a":-0.5} | {"a":-0.3} | {"a":-0.8}'],
    ['a >= 5 && a <= 5', '{"a":5}'],
    ['a + b > 10 && is_null(a)', 'unsatisfiable'],
    ['x.y[0] == 3 && x.y[1] == 4', '{"x":{"y":{"0":3,"1":4}}}'],
    ['is_array(l) && l != []', '{"l":["another value"]}'],
    ['is_object(o) && o != {}', '{"o":{"other":1}}'],
    ['(is_array(l) || l == true) && l != []', '{"l":true}'],
    ['"x" in l && "y" in l && l != ["x", "y"]', '{"l":"texty"}'],
    ['contains(s, "x") && ends_with(s, "y") && s > "m"', '{"s":"m~xy"}'],
    ['starts_with(s, "m") && contains(s, "xx") && ends_with(s, "xxy")', '{"s":"m~xxy"}'],
    ['contains(s, "m") && starts_with(s, "mn")', '{"s":"mn"}'],
    ['ends_with(s, "b") && s != "textb"', '{"s":"b"}'],
    ['ends_with(s, "b") && s != "textb" && s != "text-b" && s != "text--b"', '{"s":"b"}'],
    ['s > "a" && s < "b" && s != "a~" && contains(s, "q")', '{"s":"aaq"}'],
    ['s >= "a" && s <= "a" && contains(s, "a")', '{"s":"a"}'],
    ['s >= "aa" && s < "ab" && ends_with(s, "aa")', '{"s":"aaaa"}'],
    ['s > "m" && s < "n" && ends_with(s, "k") && !contains(s, "~")', '{"s":"mk"}'],
    ['s > "m" && s <= "n" && !contains(s, "m") && ends_with(s, "n")', '{"s":"n"}'],
    ['contains(s, "x") && !contains(s, "e")', '{"s":"xx"}'],
    [
      'contains(s, "x") && contains(s, "z") && !contains(s, "xz") && !contains(s, "zx") && !contains(s, "-")',
      '{"s":"textz"}',
    ],
    ['contains(s, "p") && contains(s, "q") && !contains(s, "pq") && !contains(s, "-")', '{"s":"text_p_q_"}'],
    [
      'contains(s, "p") && contains(s, "q") && !contains(s, "pq") && !contains(s, "-") && !contains(s, "_")',
      '{"s":"text p q "}',
    ],
    [
      'contains(s, "p") && contains(s, "q") && !contains(s, "pq") && !contains(s, "-") && !contains(s, "_") && !contains(s, " ")',
      '{"s":"text0p0q0"}',
    ],
    [
      'contains(s, "p") && contains(s, "q") && !contains(s, "pq") && !contains(s, "-") && !contains(s, "_") && !contains(s, " ") && !contains(s, "0")',
      '{"s":"textxpxqx"}',
    ],
    ['is_number(a) && a * 1e300 < 5', '{"a":0}'],
    ['a + b == c && c > 10 && a > 3 && b > 3', '{"a":8,"b":6,"c":14}'],
    ['a < b + 1 && a > b - 1 && b > 3', '{"a":9,"b":9}'],
    ['a <= 3 && b >= 3 && a == b', '{"a":3,"b":3}'],
    ['a < b && b < 5 && a > 4', '{"a":4.3,"b":4.5}'],
    ['a < b && a >= 3 && a <= 3 && b <= 4', '{"a":3,"b":4}'],
    ['a > b && b >= 3 && b <= 3 && a < 3.5', '{"a":3.3,"b":3}'],
    ['b > a && b < 4 && a > 3.5', '{"b":3.9,"a":3.8}'],
    ['is_number(a) && is_number(b) && !(a < b) && !(a == b)', '{"a":2,"b":1}'],
    ['is_number(a) && is_number(b) && a != b && !(a < b) && b > 7', '{"a":9,"b":8}'],
    ['a >= b && a <= 5 && b >= 5', '{"a":5,"b":5}'],
    ['a > b && a <= 5 && b >= 5', 'unsatisfiable'],
    ['a == b && a <= 4 && b >= 5', 'unsatisfiable'],
    ['a == b && a < 4 && b > 5', 'unsatisfiable'],
    ['a < b && a > 5 && b < 5', 'unsatisfiable'],
    ['a < b && a >= 5 && b < 5', 'unsatisfiable'],
    ['!(a < b) && !(a == b) && a < 5 && b > 5 && is_number(a) && is_number(b)', 'unsatisfiable'],
    ['!(a < b) && !(a == b) && a <= 5 && b >= 5 && is_number(a) && is_number(b)', 'unsatisfiable'],
    ['a < b && a * 2 > 8 && b < 5', '{"a":4.000000000000001,"b":4.5}'],
    ['a + b < c && c < 0 && a > 0', '{"a":16,"b":-1.7976931348623157e+308,"c":-16}'],
    ['a + b > c && c > 100 && a < 60', '{"a":0,"b":1.7976931348623157e+308,"c":101}'],
    ['a.x < a.y && a.y < 3', '{"a":{"x":1,"y":2}}'],
    ['a.x == b.x && a.x > 3', '{"a":{"x":4},"b":{"x":4}}'],
    ['a < -1 && a > -1.5', '{"a":-1.3} | {"a":-1.25} | {"a":-1.1} | {"a":-1.4}'],
    ['a < 0.5 && a > -0.5 && a != 0', '{"a":-0.3} | {"a":-0.25} | {"a":-0.1} | {"a":-0.4}'],
    ['a > 16', '{"a":17} | {"a":64} | {"a":1.7976931348623157e+308}'],
    ['a > 0.5', '{"a":1} | {"a":2} | {"a":1.7976931348623157e+308}'],
    ['a < -0.5', '{"a":-1} | {"a":-2} | {"a":-1.7976931348623157e+308}'],
    ['a > -1', '{"a":0} | {"a":16} | {"a":1.7976931348623157e+308}'],
    ['a < 1', '{"a":0} | {"a":-16} | {"a":-15} | {"a":-1.7976931348623157e+308}'],
    ['is_number(a) && a != 0 && a != 1', '{"a":-1} | {"a":-16} | {"a":-15} | {"a":-1.7976931348623157e+308}'],
    ['exists(a) && a != null && a != true && !is_number(a) && !is_string(a)', '{"a":false}'],
    ['is_null(a) || a == {}', '{}'],
    ['a in [[], {}, 3] && !is_number(a)', '{"a":[]}'],
    ['a == {} || a == []', '{"a":{}}'],
    ['now_millis() > 5 && n > 3', '{"n":4}@6 | {"n":12}@20 | {"n":1.7976931348623157e+308}@1.7976931348623157e+308'],
    [
      'abs(n) > 3 && n < 0 && now_millis() < 3',
      '{"n":-16}@2 | {"n":-16}@0 | {"n":-16}@1 | {"n":-16}@-1.7976931348623157e+308',
    ],
    ['round(a) == 3 && round(b) == 4 && a + b > 7.4', '{"a":3.4999999999999996,"b":4.499999999999999}'],
    [
      'a == "x" || b == 3 || c == true',
      '{"a":"x"} | {"a":"x","b":false,"c":true} | {"a":"x","b":true,"c":1.7976931348623157e+308} | {"a":"x","b":-1.7976931348623157e+308,"c":"text"}',
    ],
  ])('%s', (condition, candidates) => {
    expect(candidatesOf(condition, LENIENT, furtherSearch)).toBe(candidates)
  })

  test.each<Row>([
    ['a * b == 1.1 && a > 1 && b > 0.5', '{"a":1.1,"b":1}'],
    ['a / 3 == b && b > 1 && b < 2', '{"a":4.5,"b":1.5}'],
    ['a + 0.1 == 0.3', '{"a":0.2}'],
    ['a * b > 1e34 && a < 1e20', '{"a":99999999999999999999,"b":100000000000001}'],
    ['1 / a > 5 && a > 0', '{"a":0.1}'],
    ['a % 0.3 == 0.1 && a > 2', '{"a":1.7976931348623157e+308}'],
    ['round(a, 2) == 1.25 && a != 1.25', '{"a":1.248} | {"a":1.2475} | {"a":1.249} | {"a":1.246}'],
    ['floor(a) == 3 && a > 3.5', '{"a":3.999999999999999999999999999999999} | {"a":3.9} | {"a":3.6}'],
    ['a == 0.1 + 0.2', '{"a":0.3}'],
    ['min(a, b) == 2.5 && a != b', '{"a":2.5,"b":3}'],
    ['a * 3 < 1 && a > 0.3', '{"a":0.3333333333333333333333333333333333} | {"a":0.32} | {"a":0.31}'],
  ])('%s of decimals', (condition, candidates) => {
    expect(candidatesOf(condition, { ...LENIENT, numbers: 'decimal' }, furtherSearch)).toBe(candidates)
  })

  test.each<Row>([
    ['a > 3 && b == null', '{"a":4,"b":null} | {"a":12,"b":null} | {"a":1.7976931348623157e+308,"b":null}'],
    ['a + b > 3', '{"a":3,"b":1}'],
    [
      'exists(a) || b > 1',
      '{"a":null} | {"a":null,"b":false} | {"a":null,"b":true} | {"a":null,"b":-1.7976931348623157e+308}',
    ],
    ['any(l, x => x.n == 3 && x.m > 2)', '{"l":[{"n":3,"m":3}]} | {"l":[{"n":3,"m":8}]}'],
    ['a < b', '{"a":1,"b":2}'],
    ['a - b == 2 && a == null', 'unsatisfiable'],
  ])('%s where all fields must exist', (condition, candidates) => {
    expect(candidatesOf(condition, { ...LENIENT, mode: 'strict' }, furtherSearch)).toBe(candidates)
  })

  test.each<Row>([
    ['a + b > 3 && b < 1', '{"a":4,"b":0}'],
    ['a * b > 10 && b < 4', '{"a":4,"b":3}'],
    ['a == 5 && b == 1', '{"b":1}'],
    ['a + 1 == 6', '{}'],
    ['a - b == 5', '{"a":6,"b":1}'],
    ['exists(a) && a < 0', '{"a":-1} | {"a":-16} | {"a":-15} | {"a":-1.7976931348623157e+308}'],
    ['a % b == 1 && b > 3', '{"a":1,"b":4}'],
  ])('%s where `a` is 5 by default', (condition, candidates) => {
    expect(candidatesOf(condition, { ...LENIENT, mode: 'default', defaults: new Map([['a', 5]]) }, furtherSearch)).toBe(
      candidates,
    )
  })

  test.each<Row>([
    ['a + b > 100 && a < 10 && b < 95', '{"a":9,"b":94}'],
    ['a * b == 12 && a >= 2 && a <= 4', '{"a":3,"b":4}'],
    ['a * b == 12 && a > 2 && b > 2 && a < b', '{"a":3,"b":4}'],
    ['a / b == 2.5 && b > 3 && b < 9', '{"a":10,"b":4}'],
    ['a + b == 7 && a - b == 1', '{"a":4,"b":3}'],
    ['a * 3 == b && b > 10 && b < 14', '{"a":4,"b":12}'],
    ['a * b > 1e308', '{"a":1.7976931348623157e+308,"b":1}'],
    ['a % 7 == 3 && a > 70', '{"a":73}'],
    ['a != b && a > 5 && a < 6 && b > 5 && b < 6', '{"a":5.5,"b":5.8}'],
    ['a * b == 35 && a > 4 && a < 6 && b > 6 && b < 8', '{"a":5,"b":7}'],
    ['a - b > 1e6 && a < 2e6', '{"a":1999999,"b":1}'],
    ['a * a > 50 && a * a < 60 && a < 0', '{"a":-7.5}'],
    ['a - b == 0.25 && a > 1 && b < 1', '{"a":1.125,"b":0.875}'],
  ])('%s without the further search', (condition, candidates) => {
    expect(candidatesOf(condition, LENIENT)).toBe(candidates)
  })
})
