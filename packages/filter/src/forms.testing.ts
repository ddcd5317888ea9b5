import { stringifyJson, type Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { createDecisionSql } from './decision-sql.ts'
import { createFilter, type FilterRequest } from './filter.ts'
import { decisionOn } from './filter.testing.ts'

/** The columns of all tables of forms; every other field has no stated type. */
const COLUMNS = {
  s: 'text',
  t: 'text',
  n: 'number',
  m: 'number',
  i: 'integer',
  b: 'boolean',
  d: 'decimal(9, 2)',
  e: 'decimal(9, 4)',
}

/** A condition, and the settings of its ruleset and its request. */
export interface Source {
  readonly condition: string
  readonly config?: { readonly [key: string]: Value }
  readonly request?: Partial<FilterRequest>
}

const rulesetOf = ({ condition, config = {} }: Source): Ruleset => decisionOn(condition, config)

/** A form in one line, or the message of a refusal. */
function written(write: () => string): string {
  try {
    return write().replaceAll('\n', String.raw`\n`)
  } catch (error) {
    return `refused: ${(error as Error).message}`
  }
}

/** Each reason why a result is not exact. */
const because = (reasons: readonly string[] = []) => reasons.map((reason) => ` -- ${reason}`).join('')

/** The condition under which a row reaches the first end, and otherwise the second. */
function conditionOf(end: string): string {
  const [, condition = end, failing = ''] =
    /^CASE WHEN (.*) THEN 1( WHEN .* IS NULL THEN NULL)? ELSE 2 END$/s.exec(end) ?? []
  if (failing === '') return condition
  return failing === ` WHEN ${condition} IS NULL THEN NULL` ? `${condition} or fails` : end
}

/** The condition of a decision query in a dialect; the number of the end if all rows reach the same. */
export function decisionForm(source: Source, dialect: string): string {
  return written(() => {
    const request = { dialect, columns: COLUMNS, ...source.request } as Parameters<typeof createDecisionSql>[1]
    const { sql, reasons } = createDecisionSql(rulesetOf(source), request, 0)
    const [, end = '', rows = ''] =
      / AS message FROM \(SELECT \*, (.*) AS engine_end FROM (.*)\) AS decided$/s.exec(sql) ?? []
    const from = rows === 'input' ? '' : ` FROM ${rows}`
    return `${conditionOf(end)}${from}${because(reasons)}`
  })
}

/** A filter in a dialect of SQL, in `json` or in `mongo`. */
export function filterForm(source: Source, target: string): string {
  return written(() => {
    const format = target === 'json' || target === 'mongo' ? target : 'sql'
    const request = {
      known_input: {},
      target_results: ['YES'],
      format,
      columns: COLUMNS,
      ...(format === 'sql' && { dialect: target }),
      ...source.request,
    } as FilterRequest
    const { filter, params, exactness, reasons } = createFilter(rulesetOf(source), request, 0)
    const text = typeof filter === 'string' ? filter : stringifyJson(filter)
    const values = params === undefined ? '' : ` with ${stringifyJson(params)}`
    return `${text}${values} (${exactness})${because(reasons)}`
  })
}

/** A block of a table: a condition with its settings, and one line for all targets with the same form. */
export interface Block {
  readonly title: string
  readonly source: Source
  readonly forms: readonly (readonly [targets: string, form: string])[]
}

/** The blocks of a table: `# condition | settings`, then a line `targets: form` for each form. */
export function blocksOf(text: string): readonly Block[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((block) => {
      const [title = '', ...lines] = block.trimEnd().split('\n')
      const [condition = '', settings = '{}'] = title.split(' | ')
      const { config, request } = JSON.parse(settings) as Omit<Source, 'condition'>
      const forms = lines
        .filter((line) => line !== '')
        .map((line): [string, string] => {
          const end = line.indexOf(': ')
          return [line.slice(0, end), line.slice(end + 2)]
        })
      return { title, source: { condition, ...(config && { config }), ...(request && { request }) }, forms }
    })
}
