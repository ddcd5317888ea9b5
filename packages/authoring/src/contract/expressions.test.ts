import { describe, expect, test } from 'vitest'
import { convertDraft } from '../convert/convert.ts'
import type { DraftRuleset } from '../draft/model.ts'
import type { Contract } from './contract.ts'
import { declaredFields } from './declared-fields.ts'
import type { Concepts } from '@engine/ruleset'

const CONCEPTS: Concepts = new Map([
  [
    'address',
    [
      { name: 'city', type: 'string' },
      { name: 'zip', type: 'string' },
      { name: 'geo', type: 'concept:point' },
      { name: 'tags', type: 'array<string>' },
      { name: 'residents', type: 'array<concept:person>' },
    ],
  ],
  [
    'point',
    [
      { name: 'lat', type: 'number' },
      { name: 'lon', type: 'number' },
    ],
  ],
  [
    'person',
    [
      { name: 'name', type: 'string' },
      { name: 'age', type: 'integer' },
      { name: 'married', type: 'boolean' },
      { name: 'homes', type: 'array<concept:address>' },
    ],
  ],
  [
    'item',
    [
      { name: 'name', type: 'string' },
      { name: 'price', type: 'number' },
      { name: 'qty', type: 'integer' },
      { name: 'labels', type: 'array<string>' },
      { name: 'options', type: 'object' },
    ],
  ],
  ['tree', [{ name: 'children', type: 'array<concept:tree>' }]],
])

const CONTRACT: Contract = {
  name: 'loan',
  version: '1.0.0',
  input: {
    fields: [
      { name: 'user.age', type: 'integer', required: true, minimum: 0, maximum: 150 },
      { name: 'user.name', type: 'string' },
      { name: 'user.home', type: 'concept:address' },
      { name: 'vip', type: 'boolean', required: true, default: false },
      { name: 'tier', type: 'string', required: true, enum: ['gold', 'silver', 'bronze'] },
      { name: 'level', type: 'integer', enum: [1, 2, 3] },
      { name: 'score', type: 'number', required: true, minimum: 0, maximum: 1000, default: 0 },
      { name: 'ratio', type: 'number', minimum: 0 },
      { name: 'home', type: 'concept:address', required: true },
      { name: 'items', type: 'array<concept:item>' },
      { name: 'tags', type: 'array<string>' },
      { name: 'scores', type: 'array<number>' },
      { name: 'matrix', type: 'array<array<number>>' },
      { name: 'extra', type: 'object' },
      { name: 'anything', type: 'any' },
      { name: 'since', type: 'string' },
      { name: 'tree', type: 'concept:tree' },
      { name: 'order.total', type: 'number' },
      { name: 'order.lines', type: 'array<concept:item>' },
    ],
  },
  outputs: [{ code: 'YES', fields: [] }],
}

/** Expressions with the marked error, between `«` and `»`, and its problem code. */
const FINE: readonly string[] = [
  'scores.* == [1, 2]',
  'first(scores) == 5',
  'first(scores) == null',
  'scores contains 5',
  'contains(scores, 5)',
  'contains(user.name, "x")',
  'user.name contains "x"',
  'contains(matrix, [5])',
  // Parameters of lambdas hide fields of the contract
  'any(tags, tier => tier == "iron")',
  'any(anything, tier => tier == "iron")',
  'any(scores, s => s == 5 || s == null)',
  'home.geo.lat == null',
  'anything.tier == "iron"',
  'any(items, i => i.options == {})',
  // Types of fields
  'user.age > 18',
  'user.age + score * 2 > 10.5',
  'user.age - 1 >= 0',
  '-score < 5',
  'score % 2 == 0',
  'user.name + "!" == "Ada!"',
  'user.name < "M"',
  'vip && !vip || vip',
  '!user.name',
  'if vip then score else user.age',
  '(if vip then 1 else 2) + score',
  'user.name == null',
  'user.name != null && len(user.name) > 2',
  'user == null',
  'order != null',
  'order.total > 5',
  'score == ratio',
  '$variable > 5',
  '$variable.total + 1',
  '$variable == tier',
  '"a" + user.name',
  'user.age == score',
  // Concepts
  'home.city == "Bonn"',
  'home.geo.lat > 5',
  'home.geo.lat + home.geo.lon',
  'home.geo == null',
  'user.home.city + home.city',
  'home.zip < "5"',
  'user.home.geo.lat * 2',
  'keys(home)',
  'has_key(home, "city")',
  'tree.children[0].children[1].children[2].children[3].children[4].children[5]',
  'len(tree.children) > 0',
  // Arrays
  'tags[0] == "a"',
  'tags[-1] + "x"',
  'scores[0] > 5',
  'scores[0] + scores[1]',
  'items[0].price > 5',
  'items[-1].name + "x"',
  'items[0].labels[0] == "new"',
  'items[0].options.colour.name == "red"',
  'matrix[0][1] > 5',
  'sum(matrix[0])',
  'sum(scores) > 5',
  'home.residents[0].age > 18',
  'home.residents[0].homes[0].geo.lat > 5',
  'items.*.price',
  'sum(items.*.price) > 10',
  'items.*.price == [1, 2]',
  'len(items.*.labels.*) > 1',
  'order.lines[0].qty * order.total',
  'len(tags) == 0',
  '"a" in tags',
  'tags contains "a"',
  'score in scores',
  'first(items).price > 5',
  'join(tags, ", ")',
  'map_extract(items, "price")',
  // Lambda parameters
  'any(tags, t => t == "a")',
  'any(tags, t => starts_with(t, "a"))',
  'all(scores, s => s > 5)',
  'any(items, i => i.price > 5)',
  'any(items, i => any(i.labels, l => l == i.name))',
  'map(items, (i, index) => i.price * index)',
  'sum(items, i => i.price * i.qty)',
  'any(items.*.price, p => p > 5)',
  'any(items.*.labels.*, l => upper(l) == "A")',
  'any(home.residents, r => r.married && r.age > 18)',
  'any(matrix, row => sum(row) > 5)',
  'any(matrix, row => any(row, cell => cell > 5))',
  'any(filter(items, i => i.qty > 1), i => i.price > 5)',
  'any($list, x => x.whatever > 5)',
  'any([1, 2], x => x > score)',
  'any(items, vip => vip.price > 5)',
  'count(tags, t => t != "") > 1',
  'find(items, i => i.qty > 1).price',
  'sort(items, i => i.price)',
  // Objects and anything
  'extra.anything.goes > 5',
  'extra.list[0].price + 1',
  'extra["two words"] == 1',
  'extra.*.price',
  'anything > 5',
  'anything.deep[3].field',
  'any(anything, a => a.b > 1)',
  'any(extra.list, a => a.b > 1)',
  'upper(anything)',
  'home.*',
  '$',
  '$.score > 5',
  '$.home.city == "Bonn"',
  // Enums, ranges, null, defaults
  'tier == "gold"',
  'tier in ["gold", "silver"]',
  'tier not in ["gold"]',
  'tier != "bronze"',
  'tier == null',
  'level == 2',
  'level > 2',
  'user.age > 149',
  'user.age >= 150',
  'user.age <= 0',
  'user.age in [18, 21, 65]',
  '18 <= user.age',
  'score == 0',
  'score < 1000',
  'ratio > 1000000',
  'vip == false',
  'tier == user.name',
  'level in scores',
  'coalesce(user.name, "none")',
  'coalesce(tier, "iron") == "x"',
  'is_null(user.name)',
  'exists(user.name)',
  'exists(home.geo.lat)',
  'exists(extra.x.y)',
  // Functions
  'upper(tier)',
  'len(user.name) > 2',
  'round(score, 2)',
  'min(score, ratio)',
  'starts_with(user.name, "A")',
  'matches(user.name, "^A+$")',
  'date_diff(since, now(), "days") > 3',
  'year(since) > 2000',
  'to_number(tier) > 1',
  'to_string(score) + "x"',
  'format("{}", score)',
  'replace(user.name, "a", "b")',
  'contains(tags, "a")',
  'contains(user.name, "a")',
  'merge(extra, home)',
  'type(score) == "number"',
]

const WRONG: readonly (readonly [text: string, code: string])[] = [
  // Types of fields
  ['user.age «>» "x"', 'wrong-type'],
  ['"x" «<» user.age', 'wrong-type'],
  ['user.age «+» vip', 'wrong-type'],
  ['user.name «*» 2', 'wrong-type'],
  ['score «/» tier', 'wrong-type'],
  ['score «%» vip', 'wrong-type'],
  ['«-tier»', 'wrong-type'],
  ['1 + «-user.name»', 'wrong-type'],
  ['vip «>» 1', 'wrong-type'],
  ['user.name «>=» 5', 'wrong-type'],
  ['user.name «-» "x"', 'wrong-type'],
  ['user.age > 18 && user.name «>» 5', 'wrong-type'],
  ['if vip then user.name «*» 2 else 1', 'wrong-type'],
  ['(if vip then "a" else "b") «*» 2', 'wrong-type'],
  ['score «in» 5', 'wrong-type'],
  ['score «in» ratio', 'wrong-type'],
  ['vip «contains» 1', 'wrong-type'],
  // Undeclared fields
  ['«unknown»', 'undeclared-field'],
  ['«user.ages» > 18', 'undeclared-field'],
  ['«user.first.name»', 'undeclared-field'],
  ['  «scor» > 5', 'undeclared-field'],
  ['«order.sum» > 5', 'undeclared-field'],
  ['«score.value» > 5', 'undeclared-field'],
  ['«tier.x»', 'undeclared-field'],
  ['«vip[0]»', 'undeclared-field'],
  ['«user.name.first»', 'undeclared-field'],
  ['upper(«nmae»)', 'undeclared-field'],
  ['exists(«unknown.field»)', 'undeclared-field'],
  ['score > 1 && «scores_» > 2', 'undeclared-field'],
  ['coalesce(«nick», user.name)', 'undeclared-field'],
  // Concepts
  ['home.city «>» 5', 'wrong-type'],
  ['home «>» 5', 'wrong-type'],
  ['home «+» 1', 'wrong-type'],
  ['home.geo «*» 2', 'wrong-type'],
  ['home.geo.lat «+» home.city', 'wrong-type'],
  ['«home.street» == ""', 'undeclared-field'],
  ['«home.geo.lng» > 5', 'undeclared-field'],
  ['«home.geo.lat.x»', 'undeclared-field'],
  ['«user.home.geo.alt»', 'undeclared-field'],
  ['upper(«home»)', 'wrong-type'],
  ['upper(«home.geo»)', 'wrong-type'],
  ['«tree.children[0].child»', 'undeclared-field'],
  ['«tree.children.children»', 'undeclared-field'],
  // Arrays
  ['tags «>» 5', 'wrong-type'],
  ['tags[0] «>» 5', 'wrong-type'],
  ['tags[-1] «*» 2', 'wrong-type'],
  ['scores[0] «>» "x"', 'wrong-type'],
  ['scores[0] «+» tags[0] == 1 && tags[0] «*» 2 > 1', 'wrong-type'],
  ['items[0].price «>» "x"', 'wrong-type'],
  ['items[0].name «*» 2', 'wrong-type'],
  ['items[0].labels[0] «>» 5', 'wrong-type'],
  ['items[0].labels «>» 5', 'wrong-type'],
  ['«items[0].prize» > 5', 'undeclared-field'],
  ['«items.price» > 5', 'undeclared-field'],
  ['«items.*.prize»', 'undeclared-field'],
  ['«tags.first»', 'undeclared-field'],
  ['«tags[0].x»', 'undeclared-field'],
  ['«matrix[0][1][2]»', 'undeclared-field'],
  ['matrix[0] «>» 5', 'wrong-type'],
  ['matrix[0][1] «>» "x"', 'wrong-type'],
  ['items.*.price «>» 5', 'wrong-type'],
  ['upper(«items.*.name»)', 'wrong-type'],
  ['upper(«tags»)', 'wrong-type'],
  ['home.residents[0].age «>» "x"', 'wrong-type'],
  ['«home.residents.age»', 'undeclared-field'],
  ['home.residents[0].homes[0].geo.lat «>» "x"', 'wrong-type'],
  ['sum(«score»)', 'wrong-type'],
  ['sum(«home»)', 'wrong-type'],
  ['join(«user.name»)', 'wrong-type'],
  ['«first(items).anything_goes» > 5', 'undeclared-field'],
  ['«filter(items, i => i.price > 5)[0].prize» == 1', 'undeclared-field'],
  ['first(items).name «*» 2', 'wrong-type'],
  ['sum(«tags»)', 'wrong-element-type'],
  ['sum(«map(items, i => i.name)»)', 'wrong-element-type'],
  ['max(score, «tier»)', 'wrong-type'],
  ['tags[0] == «1»', 'never-value'],
  ['home.city == «5»', 'never-value'],
  // Lambda parameters
  ['any(tags, t => t «>» 5)', 'wrong-type'],
  ['all(scores, s => s «>» "x")', 'wrong-type'],
  ['all(scores, s => upper(«s») == "A")', 'wrong-type'],
  ['any(items, i => i.name «>» 5)', 'wrong-type'],
  ['any(items, i => «i.prize» > 5)', 'undeclared-field'],
  ['any(items, i => i «>» 5)', 'wrong-type'],
  ['any(items, i => any(i.labels, l => l «>» i.price))', 'wrong-type'],
  ['any(items, i => any(«i.label», l => l > "x"))', 'undeclared-field'],
  ['map(items, (i, index) => upper(«index»))', 'wrong-type'],
  ['map(items, (i, index) => index «+» i.labels)', 'wrong-type'],
  ['any(items.*.name, n => n «*» 2 > 5)', 'wrong-type'],
  ['any(items.*.labels.*, l => l «>» 5)', 'wrong-type'],
  ['any(matrix, row => row «>» 5)', 'wrong-type'],
  ['any(matrix, row => any(row, cell => cell «>» "x"))', 'wrong-type'],
  ['any(home.residents, r => «r.wed»)', 'undeclared-field'],
  ['sum(items, i => «i.total»)', 'undeclared-field'],
  ['any(«score», s => s > 5)', 'wrong-type'],
  ['any(tags, t => «unknown» == t)', 'undeclared-field'],
  ['count(tags, t => «t.x» == 1)', 'undeclared-field'],
  // Enums and ranges
  ['tier == «"iron"»', 'never-value'],
  ['«"iron"» == tier', 'never-value'],
  ['tier != «"Gold"»', 'never-value'],
  ['tier in ["gold", «"iron"»]', 'never-value'],
  ['tier not in [«"iron"», "gold", «"lead"»]', 'never-value'],
  ['tier == «5»', 'never-value'],
  ['level == «4»', 'never-value'],
  ['level in [1, «4», «5»]', 'never-value'],
  ['level == «1.5»', 'never-value'],
  ['level == «"1"»', 'never-value'],
  ['user.age > «150»', 'never-value'],
  ['user.age >= «151»', 'never-value'],
  ['user.age < «0»', 'never-value'],
  ['user.age <= «-1»', 'never-value'],
  ['user.age == «200»', 'never-value'],
  ['user.age == «18.5»', 'never-value'],
  ['user.age == «"18"»', 'never-value'],
  ['«200» <= user.age', 'never-value'],
  ['«0» > user.age', 'never-value'],
  ['user.age in [18, «180»]', 'never-value'],
  ['score == «-1»', 'never-value'],
  ['score > «1000»', 'never-value'],
  ['ratio < «0»', 'never-value'],
  ['vip == «"true"»', 'never-value'],
  ['vip == «1»', 'never-value'],
  ['user.name == «5»', 'never-value'],
  ['tags == «"a"»', 'never-value'],
  ['scores.* == «"x"»', 'never-value'],
  ['scores.* == «5»', 'never-value'],
  ['items.*.name != «"x"»', 'never-value'],
  ['first(scores) == «"x"»', 'never-value'],
  ['«"x"» == last(scores)', 'never-value'],
  ['first(scores) in [1, «"x"»]', 'never-value'],
  ['scores contains «"x"»', 'never-value'],
  ['contains(scores, «"x"»)', 'never-value'],
  ['contains(matrix, «5»)', 'never-value'],
  ['any(items, i => i.labels contains «5»)', 'never-value'],
  ['vip || tier == «"iron"» || score > 5', 'never-value'],
  ['$.tier == «"iron"»', 'never-value'],
  // Within concepts, items and lambda parameters
  ['home.geo.lat == «"north"»', 'never-value'],
  ['home.residents[0].age == «"high"»', 'never-value'],
  ['home.residents[3].homes[1].geo.lat != «true»', 'never-value'],
  ['scores[0] == «"x"»', 'never-value'],
  ['scores[0] in [1, «"x"»]', 'never-value'],
  ['matrix[0][1] == «"x"»', 'never-value'],
  ['matrix[0] == «5»', 'never-value'],
  ['any(home.residents, r => r.age == «"high"»)', 'never-value'],
  ['any(home.residents, r => «"high"» == r.age)', 'never-value'],
  ['any(home.residents, r => any(r.homes, h => h.geo.lat in [«"x"»]))', 'never-value'],
  ['all(scores, s => s != «"x"»)', 'never-value'],
  ['any(matrix, row => any(row, cell => cell == «"x"»))', 'never-value'],
  ['count(tags, t => t == «5») > 1', 'never-value'],
  // Functions
  ['upper(«score»)', 'wrong-type'],
  ['upper(«vip»)', 'wrong-type'],
  ['len(«vip»)', 'wrong-type'],
  ['len(«score»)', 'wrong-type'],
  ['round(«user.name»)', 'wrong-type'],
  ['round(score, «tier»)', 'wrong-type'],
  ['starts_with(«score», "a")', 'wrong-type'],
  ['starts_with(user.name, «score»)', 'wrong-type'],
  ['matches(«user.age», "^a")', 'wrong-type'],
  ['matches(user.name, «"("»)', 'bad-argument'],
  ['replace(user.name, "a", «score»)', 'wrong-type'],
  ['split(«tags», ",")', 'wrong-type'],
  ['date_diff(«vip», since, "days")', 'wrong-type'],
  ['year(«home»)', 'wrong-type'],
  ['keys(«tags»)', 'wrong-type'],
  ['merge(extra, «tags»)', 'wrong-type'],
  ['has_key(«user.name», "x")', 'wrong-type'],
  ['abs(«since»)', 'wrong-type'],
  ['pow(score, «user.name»)', 'wrong-type'],
  ['«lenn»(user.name)', 'unknown-function'],
  ['«round()»', 'wrong-arity'],
  ['substring(«score», 1)', 'wrong-type'],
  ['len(user.name) «+» vip', 'wrong-type'],
  ['upper(user.name) «*» 2', 'wrong-type'],
  ['(user.name contains "a") «>» 2', 'wrong-type'],
]

const FIELDS = declaredFields(CONTRACT, CONCEPTS)

interface Mark {
  readonly column: number
  readonly length: number
  readonly code: string
}

function problemsOf(expression: string): readonly Mark[] {
  const draft: DraftRuleset = {
    config: { name: 'loan' },
    startStepId: 'd',
    steps: [
      { id: 'd', type: 'action', assignments: [{ name: 'x', value: expression }], nextStepId: 'end' },
      { id: 'end', type: 'terminal', code: 'YES' },
    ],
  }
  return convertDraft(draft, { fields: FIELDS })
    .problems.filter(({ code }) => !['unset-variable', 'unread-variable'].includes(code))
    .map(({ column = 0, length = 0, code }) => ({ column, length, code }))
}

function marksOf(text: string, code: string): { readonly expression: string; readonly marks: readonly Mark[] } {
  const marks: Mark[] = []
  let expression = ''
  for (const [index, part] of text.split(/[«»]/).entries()) {
    if (index % 2 === 1) marks.push({ column: expression.length + 1, length: part.length, code })
    expression += part
  }
  return { expression, marks }
}

test('there are at least 200 expressions', () => expect(FINE.length + WRONG.length).toBeGreaterThanOrEqual(200))

describe('no problem is reported for', () => {
  test.each(FINE)('%s', (expression) => expect(problemsOf(expression)).toEqual([]))
})

describe('the wrong characters are named', () => {
  test.each(WRONG)('%s %s', (text, code) => {
    const { expression, marks } = marksOf(text, code)
    expect(problemsOf(expression)).toEqual(marks)
  })
})

test.each([
  ['tier', ' «"iron"»'],
  ['tier', ' in [«"iron"», "gold"]'],
  ['user.age', '> «150»'],
  ['user.age', '«[151..200]»'],
  ['level', '«7»'],
  ['tier', '? score > 5 && tier == «"iron"»'],
])('a cell of the column %s: %s', (field, text) => {
  const { expression, marks } = marksOf(text, 'never-value')
  const draft: DraftRuleset = {
    config: { name: 'loan' },
    startStepId: 't',
    steps: [
      {
        id: 't',
        type: 'table',
        hitPolicy: 'first',
        columns: [{ id: 'c', kind: 'input', field }],
        rows: [{ id: 'r', cells: { c: expression } }],
        nextStepId: 'end',
      },
      { id: 'end', type: 'terminal', code: 'YES' },
    ],
  }
  const found = convertDraft(draft, { fields: FIELDS }).problems
  expect(found.map(({ column = 0, length = 0, code }) => ({ column, length, code }))).toEqual(marks)
  expect(found.map(({ severity }) => severity)).toEqual(marks.map(() => 'warning'))
})
