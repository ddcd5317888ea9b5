import { defined } from '../defined.ts'
import { stringifyJson } from '../json/json.ts'
import { typeText } from '../types.ts'
import type { FunctionDefinition, Parameter } from '../function-definition.ts'
import { DESCRIPTIONS } from './descriptions.ts'
import { FAMILIES } from './groups.ts'

/** docs/functions.md, generated from the definitions that the language runs on. */
export function functionReference(): string {
  const families = FAMILIES.map(
    ({ title, functions }) =>
      `## ${title}\n\n| function | gives | meaning | in \`/sql\` | example |\n|---|---|---|---|---|\n${functions.map(row).join('\n')}\n`,
  )
  return `# Functions

Generated from the definitions in \`packages/expression/src/functions/\`; a test holds this page to them, and runs every
example. \`name?\` is optional, \`name…\` any number of values, \`f\`, \`test\` and \`key\` are functions such as \`x => x.price\` or
\`(x, index) => …\`. The effect of null, missing fields and wrong types is described in [semantics.md](semantics.md#functions).

Characters are UTF-16 code units; positions begin at 0. Nothing is random and nothing reads the outside world: there is no
\`uuid_v4\`, an identifier belongs into the input. There is no \`yaml_marshal\` or \`yaml_unmarshal\` either: no YAML reader can be
held to the time limit of a decision. In [filters](filters.md) functions of known values are computed, and those of columns are
refused but for the tests of texts and of null. The column *in \`/sql\`* names the databases in which a function of columns has a form in
a [query](filters.md#the-whole-decision-as-sql); \`(decimals)\` is of rulesets that [compute with decimals](numbers.md).

${families.join('\n')}`
}

/** The databases in which a function has a form; a test of the filter package holds this to its translation. */
const IN_SQL: ReadonlyMap<string, string> = new Map([
  ...[
    'len',
    'matches',
    'regex_match',
    'abs',
    'sqrt',
    'min',
    'max',
    'floor',
    'ceil',
    'date_diff',
    'year',
    'month',
    'day',
    'day_of_week',
  ].map((name) => [name, 'postgres, duckdb'] as const),
  ...[
    'starts_with',
    'ends_with',
    'contains',
    'contains_str',
    'object_get',
    'is_null',
    'is_number',
    'is_string',
    'is_bool',
    'exists',
    'coalesce',
    'to_string',
  ].map((name) => [name, 'all'] as const),
  ['round', 'postgres, duckdb (decimals)'],
  ['pow', 'postgres (decimals), duckdb (decimals)'],
  ...['count', 'any', 'all', 'none', 'is_array', 'is_object'].map((name) => [name, 'postgres'] as const),
])

function row(definition: FunctionDefinition): string {
  const { summary, example } = defined(DESCRIPTIONS[definition.name])
  const input = example.input === undefined ? '' : ` for ${code(stringifyJson(example.input))}`
  const cells = [
    code(signature(definition)),
    typeText(definition.returns),
    summary,
    IN_SQL.get(definition.name) ?? '',
    `${code(example.expression)} → ${code(stringifyJson(example.value))}${input}`,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function signature({ name, parameters }: FunctionDefinition): string {
  return `${name}(${parameters.map(shown).join(', ')})`
}

function shown({ name, optional, variadic }: Parameter): string {
  return `${name}${optional ? '?' : ''}${variadic ? '…' : ''}`
}

function code(text: string): string {
  return `\`${text}\``
}
