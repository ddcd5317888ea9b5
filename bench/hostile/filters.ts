import { action, decision, post, repeat, rulesetOf, type Row, set } from './row.ts'

const branches = (count: number, condition: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => condition(index))

function filtered(name: string, ruleset: object, request: object = {}, form: 'filter' | 'sql' = 'filter'): Row {
  const { name: stored } = (ruleset as { readonly config: { readonly name: string } }).config
  const body = { known_input: {}, ...(form === 'filter' ? { target_results: ['YES'] } : {}), ...request }
  return { name: `${form}: ${name}`, rulesets: [ruleset], request: () => post(`/rulesets/${stored}/${form}`, body) }
}

const one = (name: string, conditions: readonly string[]): object => rulesetOf(name, [decision('s0', conditions)])
const unlimited = { max_paths: 0 }

export const FILTERS: readonly Row[] = [
  filtered(
    '5,000 alternatives',
    one(
      'alternatives',
      branches(5000, (index) => `a == ${index} && s == "g${index}"`),
    ),
  ),
  filtered(
    '5,000 alternatives, all paths',
    one(
      'all',
      branches(5000, (index) => `a == ${index} && s == "g${index}"`),
    ),
    unlimited,
  ),
  filtered(
    '3,000 fields, all paths',
    one(
      'fields',
      branches(3000, (index) => `a${index} == ${index} && b == ${index}`),
    ),
    unlimited,
  ),
  filtered(
    'one condition of 5,000 alternatives',
    one('or', [repeat(5000, (index) => `a == ${index}`, ' || ')]),
    unlimited,
  ),
  filtered(
    'one condition of 1,500 pairs',
    one('pairs', [repeat(1500, (index) => `(a${index % 50} == ${index} && b == 1)`, ' || ')]),
    unlimited,
  ),
  filtered('400 texts', one('texts', [repeat(2000, (index) => `starts_with(a, "x${index}")`, ' || ')]), unlimited),
  filtered(
    '110 branches of 300 conditions',
    one(
      'conjunctions',
      branches(110, (index) => repeat(300, (field) => `f${field} != ${index}`, ' && ')),
    ),
    unlimited,
  ),
  filtered(
    'conditions in conditions',
    one('deep', [
      repeat(60, (index) => `(a${index} == 1 || (b${index} == 2 && (c > ${index} || `, '') +
        'd' +
        repeat(60, () => ')))'),
    ]),
    unlimited,
  ),
  filtered(
    'a product of alternatives',
    one('product', [repeat(100, (index) => `(a${index} == 1 || b${index} == 2 || c${index} == 3)`, ' && ')]),
    unlimited,
  ),
  filtered(
    'ways that multiply: 40 decisions of 3',
    rulesetOf(
      'ways',
      Array.from({ length: 40 }, (_, index) => {
        const next = index < 39 ? `s${index + 1}` : 'YES'
        return {
          id: `s${index}`,
          type: 'decision',
          branches: [
            { condition: `a${index} == 1`, next_step: next },
            { condition: `b${index} > 2`, next_step: 'NO' },
            { condition: `c${index} != "x"`, next_step: next },
          ],
          default_next: index % 2 === 0 ? next : 'NO',
        }
      }),
    ),
    unlimited,
  ),
  filtered(
    'variables that double',
    rulesetOf('doubling', [
      ...Array.from({ length: 30 }, (_, index) =>
        action(`s${index}`, [set('v', index === 0 ? 'a' : '$v + $v')], index < 29 ? `s${index + 1}` : 'd'),
      ),
      decision('d', ['$v == 1']),
    ]),
  ),
  filtered(
    'variables that double',
    rulesetOf('doubling-sql', [
      ...Array.from({ length: 30 }, (_, index) =>
        action(`s${index}`, [set('v', index === 0 ? 'a' : '$v + $v')], index < 29 ? `s${index + 1}` : 'd'),
      ),
      decision('d', ['$v == 1']),
    ]),
    {},
    'sql',
  ),
  filtered(
    '5,000 alternatives',
    one(
      'alternatives-sql',
      branches(5000, (index) => `a == ${index} && s == "g${index}"`),
    ),
    {},
    'sql',
  ),
  filtered('a known list of 100,000', one('known', ['a in ids', 'b in ids && c in ids']), {
    known_input: { ids: Array.from({ length: 100_000 }, (_, index) => index) },
  }),
  filtered(
    'a known text of a megabyte',
    one(
      'known-text',
      branches(200, (index) => `a${index} == t`),
    ),
    {
      known_input: { t: "'".repeat(1_000_000) },
      ...unlimited,
    },
  ),
  filtered(
    'a heavy known part',
    one('known-heavy', ['any(range(0,1000000), i => any(range(0,1000000), j => i + j + k < 0)) && a == 1']),
    {
      known_input: { k: 1 },
    },
  ),
  filtered(
    'mongo, 5,000 alternatives',
    one(
      'mongo',
      branches(5000, (index) => `a == ${index} || b == ${index}`),
    ),
    {
      format: 'mongo',
      ...unlimited,
    },
  ),
  filtered(
    'json, negations of 3,000 branches',
    rulesetOf('negations', [
      {
        id: 's0',
        type: 'decision',
        branches: branches(3000, (index) => `a${index} == 1`).map((condition) => ({ condition, next_step: 'NO' })),
        default_next: 'YES',
      },
    ]),
    { format: 'json', ...unlimited },
  ),
]
