import { type Expression, print, type Value } from '@engine/expression'
import { type Action, missingPolicy, type Ruleset, type Step, type TerminalStep } from '@engine/ruleset'
import { columnOf, columnsOf } from './columns.ts'
import { Inexpressible } from './condition.ts'
import { FilterError } from './explore.ts'
import { mappingOf } from './mapping.ts'
import { evaluated, type Knowledge, type Variables, variablesKey } from './known.ts'
import { SQL_FORMS, type SqlFormName } from './sql-forms.ts'
import { joinedType, SqlExpressions, type SqlTruth, type SqlValue, type ValueType } from './sql-values.ts'

export interface DecisionSqlRequest {
  readonly dialect: SqlFormName
  /** Whose rows are decided about; default `input`. */
  readonly table?: string
  readonly field_mapping?: { readonly [path: string]: string }
  readonly known_input?: { readonly [key: string]: Value }
}

export interface DecisionSql {
  readonly dialect: SqlFormName
  /** One SELECT: the columns of the table, `code`, `message` and each output field; all null where execution fails. */
  readonly sql: string
  readonly outputs: readonly string[]
  readonly unknown_fields: readonly string[]
}

/** Longest query, in characters. */
const LONGEST = 1_000_000
/** Steps of one way. */
const DEEPEST = 200
/** Steps of all ways: one where ways meet is written for each. */
const MOST_VISITS = 5000

/**
 * A whole ruleset as one query, which gives for each row what an execution gives for it. Throws `FilterError` that names
 * the step that cannot be written so, or `BadFilterRequest`.
 */
export function createDecisionSql(ruleset: Ruleset, request: DecisionSqlRequest, now: number): DecisionSql {
  const form = SQL_FORMS[request.dialect]
  const mapping = mappingOf(request.field_mapping ?? {})
  const policy = missingPolicy(ruleset)
  const expressions = new SqlExpressions(form, policy, (path) => form.identifier(columnOf(mapping, path)))
  const writer = new DecisionWriter(ruleset, expressions, { input: request.known_input ?? {}, policy, now })
  const body = writer.step(ruleset.config.entryStep, new Map(), 0)
  const fields = [...expressions.fields]
  columnsOf(mapping, fields)
  const outputs = writer.outputs()
  const columns = [
    `${writer.column((end) => form.text(end.step.code))} AS ${form.identifier('code')}`,
    `${writer.column((end) => form.text(end.message))} AS ${form.identifier('message')}`,
    ...outputs.map((name) => `${writer.column((end) => end.values.get(name)?.sql)} AS ${form.identifier(name)}`),
  ]
  const table = (request.table ?? 'input')
    .split('.')
    .map((part) => form.identifier(part))
    .join('.')
  const sql = `SELECT *, ${columns.join(', ')} FROM (SELECT *, ${body} AS engine_end FROM ${table}) AS decided`
  if (sql.length > LONGEST)
    throw new FilterError(`the query is longer than ${LONGEST} characters: too many ways meet again`)
  return { dialect: request.dialect, sql, outputs, unknown_fields: fields.toSorted() }
}

/** A terminal step, with what is known of variables when it is reached. */
interface End {
  readonly step: TerminalStep
  readonly message: string
  readonly values: ReadonlyMap<string, SqlValue>
}

class DecisionWriter {
  readonly #ruleset: Ruleset
  readonly #expressions: SqlExpressions
  readonly #knowledge: Knowledge
  readonly #ends: End[] = []
  readonly #known = new Map<string, number>()
  /** Steps on the way to here, with what is known of variables. */
  readonly #way = new Set<string>()
  #visits = 0

  constructor(ruleset: Ruleset, expressions: SqlExpressions, knowledge: Knowledge) {
    this.#ruleset = ruleset
    this.#expressions = expressions
    this.#knowledge = knowledge
  }

  /** The number of the end that a row comes to from here; NULL where execution fails. */
  step(id: string, variables: Variables, depth: number): string {
    const step = this.#ruleset.steps.get(id) as Step
    const { maxDepth } = this.#ruleset.config
    if (depth >= maxDepth) return 'NULL'
    if (depth >= DEEPEST) throw new FilterError(`step \`${id}\`: more than ${DEEPEST} steps follow each other`)
    if (++this.#visits > MOST_VISITS) throw new FilterError(`step \`${id}\`: too many ways meet again`)
    const key = `${id}\n${variablesKey(variables)}`
    // The same step again with the same knowledge goes round for ever: that ends in an error.
    if (this.#way.has(key)) return 'NULL'
    this.#way.add(key)
    const text = this.#at(step, () => this.#written(step, variables, depth))
    this.#way.delete(key)
    return text
  }

  #at<Result>(step: Step, write: () => Result): Result {
    try {
      return write()
    } catch (error) {
      if (error instanceof Inexpressible) throw new FilterError(`step \`${step.id}\`: ${error.message}`)
      throw error
    }
  }

  #written(step: Step, variables: Variables, depth: number): string {
    if (step.type === 'terminal') return this.#terminal(step, variables)
    if (step.type === 'action') return this.#acted(step.actions, step.nextStep, variables, depth)
    return this.#decision(step, variables, depth)
  }

  #decision(step: Step & { type: 'decision' }, variables: Variables, depth: number): string {
    const cases: string[] = []
    const end = (otherwise: string): string => {
      // Nothing but NULL would be taken for a text.
      if (otherwise === 'NULL' && cases.every((one) => one.endsWith(' THEN NULL'))) return 'NULL'
      return cases.length === 0 ? otherwise : `CASE ${cases.join(' ')} ELSE ${otherwise} END`
    }
    for (const branch of step.branches) {
      const { holds, isFalse, fails }: SqlTruth = this.#expressions.truth(this.#evaluated(branch.condition, variables))
      if (holds === 'FALSE' && isFalse === 'TRUE') continue
      if (fails !== undefined) cases.push(`WHEN ${fails} THEN NULL`)
      const next = this.#acted(branch.actions, branch.nextStep, variables, depth)
      if (holds === 'TRUE' && isFalse === 'FALSE') return end(next)
      cases.push(`WHEN ${holds} THEN ${next}`)
    }
    const { defaultNext } = step
    return end(defaultNext === undefined ? 'NULL' : this.step(defaultNext, variables, depth + 1))
  }

  #acted(actions: readonly Action[], next: string, variables: Variables, depth: number): string {
    const after = new Map(variables)
    const failures: string[] = []
    for (const action of actions) {
      if (action.action === 'external_call')
        throw new Inexpressible(`the call of \`${action.service}.${action.method}\` cannot be written in SQL`)
      if (action.action === 'call_ruleset')
        throw new Inexpressible(`the call of the ruleset \`${action.rulesetName}\` cannot be written in SQL`)
      if (action.action === 'log') continue
      const value = this.#evaluated(action.value, after)
      const { fails } = this.#expressions.value(value)
      if (fails !== undefined) failures.push(fails)
      if (action.action === 'set_variable') after.set(action.name, value)
    }
    const rest = this.step(next, after, depth + 1)
    return failures.length === 0 || rest === 'NULL'
      ? rest
      : `CASE WHEN ${failures.join(' OR ')} THEN NULL ELSE ${rest} END`
  }

  #terminal(step: TerminalStep, variables: Variables): string {
    const text = plainMessage(step.message)
    const values = new Map<string, SqlValue>()
    for (const [name, value] of step.fields) values.set(name, this.#expressions.literal(value))
    for (const [name, expression] of step.output)
      values.set(name, this.#expressions.value(this.#evaluated(expression, variables)))
    const key = `${step.id}\n${[...values].map(([name, { sql }]) => `${name} ${sql}`).join('\n')}`
    const number = this.#known.get(key) ?? this.#ends.length + 1
    if (!this.#known.has(key)) {
      this.#known.set(key, number)
      this.#ends.push({ step, values, message: text })
    }
    const failures = [...values.values()].flatMap(({ fails }) => (fails === undefined ? [] : [fails]))
    return failures.length === 0 ? String(number) : `CASE WHEN ${failures.join(' OR ')} THEN NULL ELSE ${number} END`
  }

  #evaluated(expression: Expression, variables: Variables): Expression {
    const value = evaluated(expression, variables, this.#knowledge)
    if (value === undefined) throw new Inexpressible(`\`${print(expression)}\` reads what only an execution knows`)
    return value
  }

  /** Names of all outputs. Throws when a column would have to hold values of two types. */
  outputs(): readonly string[] {
    const types = new Map<string, ValueType>()
    for (const { step, values } of this.#ends) {
      for (const [name, { type }] of values)
        this.#at(step, () => types.set(name, joinedType(types.get(name) ?? 'null', type, OUTPUT(name))))
    }
    for (const name of ['code', 'message', 'engine_end'])
      if (types.has(name)) throw new FilterError(`the output \`${name}\` has the name of a column of the query`)
    return [...types.keys()]
  }

  column(value: (end: End) => string | undefined): string {
    const cases = this.#ends.flatMap((end, index) => {
      const sql = value(end)
      return sql === undefined || sql === 'NULL' ? [] : [`WHEN ${index + 1} THEN ${sql}`]
    })
    return cases.length === 0 ? 'NULL' : `CASE engine_end ${cases.join(' ')} END`
  }
}

const OUTPUT = (name: string): Expression => ({ kind: 'literal', value: `output ${name}`, span: { start: 0, end: 0 } })

/** The text of a message without placeholders. */
function plainMessage(message: TerminalStep['message']): string {
  if (message.kind === 'text') return message.text
  return message.parts
    .map((part) => {
      if (typeof part !== 'string') throw new Inexpressible('a message with expressions cannot be written in SQL')
      return part
    })
    .join('')
}
