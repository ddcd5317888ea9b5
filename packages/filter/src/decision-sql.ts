import {
  type Budget,
  constantOf,
  defined,
  type Expression,
  print,
  quote,
  quoteCode,
  stringifyJson,
  type Value,
} from '@engine/expression'
import { type Action, at, evaluationPolicy, pointer, type Ruleset, type Step, type TerminalStep } from '@engine/ruleset'
import { FieldTypes, type StatedTypes } from './column-types.ts'
import { BadFilterRequest, columnOf, columnsOf } from './columns.ts'
import { Inexpressible } from './to-predicate.ts'
import { FilterError } from './path-search.ts'
import { unlimited } from './filter.ts'
import { mappingOf } from './mapping.ts'
import { finish, type Pausing } from './pausable-work.ts'
import { evaluated, GrownTooLarge, type Knowledge, type Variables, variablesKey } from './partial-evaluation.ts'
import type { DecisionDialectName } from './dialect.ts'
import { sqlForm } from './sql-forms.ts'
import { anyFailure, type SqlValue, type ValueType } from './sql-truth.ts'
import { joinedType } from './sql-context.ts'
import type { SqlForm } from './sql-forms.ts'
import { BoundValues } from './bound-values.ts'
import { SqlExpressions } from './sql-values.ts'

export interface DecisionSqlRequest {
  readonly dialect: DecisionDialectName
  /** The table with the input rows; default `input`. */
  readonly table?: string
  readonly field_mapping?: { readonly [path: string]: string }
  readonly known_input?: { readonly [key: string]: Value }
  /**
   * Types of columns: `text`, `number` (a double), `integer`, `boolean`, `decimal(p, s)`. Unstated types are inferred from the rules.
   */
  readonly columns?: StatedTypes
}

export interface DecisionSql {
  readonly dialect: DecisionDialectName
  /** One SELECT: the columns of the table, `code`, `message` and each output field; all null where execution fails. */
  readonly sql: string
  readonly outputs: readonly string[]
  readonly unknown_fields: readonly string[]
  /** Where the database may decide differently from the rules, and how to rule that out. */
  readonly reasons?: readonly string[]
}

/** Maximum length of the query in characters. */
const MAX_LENGTH = 1_000_000
/** Steps on one path. */
const MAX_PATH_STEPS = 200
/** Steps on all paths: a step where paths merge is written once per path. */
const MAX_VISITS = 5000
/** Maximum number of reasons returned. */
const MAX_REASONS = 50

/**
 * Translates a whole ruleset to one query that returns the execution result of each row. Throws `FilterError` naming a
 * step that has no SQL form, `BadFilterRequest`, or `BudgetError`.
 */
export function createDecisionSql(
  ruleset: Ruleset,
  request: DecisionSqlRequest,
  now: number,
  budget: Budget = unlimited(),
): DecisionSql {
  return finish(decisionSqlInTurns(ruleset, request, now, budget))
}

/** `createDecisionSql` as a generator that yields where it may pause; it should pause when `budget.wantsPause`. */
export function* decisionSqlInTurns(
  ruleset: Ruleset,
  request: DecisionSqlRequest,
  now: number,
  budget: Budget,
): Pausing<DecisionSql> {
  const form = sqlForm(request.dialect)
  const mapping = yield* mappingOf(request.field_mapping ?? {}, budget)
  const policy = evaluationPolicy(ruleset)
  const types = new FieldTypes(request.columns ?? {}, mapping, budget)
  const column = (path: string): string => form.identifier(requireColumn(columnOf(mapping, path), path))
  const expressions = new SqlExpressions({ form, policy, types, column, budget })
  const writer = new DecisionWriter(ruleset, form, expressions, {
    input: request.known_input ?? {},
    policy,
    now,
    budget,
  })
  const body = yield* writer.step(ruleset.config.entryStep, new Map(), 0)
  const fields = [...expressions.fields]
  columnsOf(mapping, fields)
  const outputs = writer.outputs()
  const columns = [
    `${writer.column((end) => form.text(end.step.code))} AS ${form.identifier('code')}`,
    `${writer.column((end) => end.message)} AS ${form.identifier('message')}`,
    ...outputs.map((name) => `${writer.column((end) => end.values.get(name)?.sql)} AS ${form.identifier(name)}`),
  ]
  const table = (request.table ?? 'input')
    .split('.')
    .map((part) => form.identifier(part))
    .join('.')
  const rows = writer.bound.rows(table)
  const sql = `SELECT *, ${columns.join(', ')} FROM (SELECT *, ${body} AS engine_end FROM ${rows}) AS decided`
  if (sql.length > MAX_LENGTH) throw new FilterError(TOO_LONG)
  const reasons = [...writer.assumptions, ...expressions.assumptions, ...conflicts(fields, types)].slice(0, MAX_REASONS)
  return {
    dialect: request.dialect,
    sql,
    outputs,
    unknown_fields: fields.toSorted(),
    ...(reasons.length === 0 ? {} : { reasons }),
  }
}

const TOO_LONG = `the query is longer than ${MAX_LENGTH} characters: too many paths merge again, or a value grows`

function requireColumn(column: string, path: string): string {
  if (column !== '' && !column.includes('\0')) return column
  throw new BadFilterRequest(`the field ${quote(path)} does not give a valid column name`, '/field_mapping')
}

function conflicts(fields: readonly string[], types: FieldTypes): readonly string[] {
  return fields.flatMap((path) => {
    const kinds = types.conflict(path)
    return kinds.length === 0
      ? []
      : [`${quote(path)} is used as ${kinds.join(' and ')}: a column has one type (\`columns\`)`]
  })
}

/** A terminal step with the state of the variables when it is reached. */
interface End {
  readonly step: TerminalStep
  /** SQL of the message's text. */
  readonly message: string
  readonly values: Map<string, SqlValue>
}

/** Actions and the step after them. */
interface Acting {
  readonly actions: readonly Action[]
  /** JSON pointer from the step to the member with the actions. */
  readonly place: string
  readonly next: string
}

class DecisionWriter {
  readonly #ruleset: Ruleset
  readonly #form: SqlForm
  readonly #expressions: SqlExpressions
  /** Long values of variables. */
  readonly bound: BoundValues
  readonly #knowledge: Knowledge
  readonly #ends: End[] = []
  readonly #known = new Map<string, number>()
  /** Steps on the current path, with the state of the variables. */
  readonly #way = new Set<string>()
  #visits = 0
  /** Characters of all conditions and values written. */
  #length = 0
  /** Assumptions about the types of outputs. */
  readonly assumptions = new Set<string>()

  constructor(ruleset: Ruleset, form: SqlForm, expressions: SqlExpressions, knowledge: Knowledge) {
    this.#ruleset = ruleset
    this.#form = form
    this.bound = new BoundValues(expressions, form)
    this.#expressions = expressions
    this.#knowledge = knowledge
  }

  /** The number of the end that a row reaches from here; NULL where execution fails. */
  *step(id: string, variables: Variables, depth: number): Pausing<string> {
    const { budget } = this.#knowledge
    if (budget.wantsPause) yield
    const step = defined(this.#ruleset.steps.get(id))
    const { maxDepth } = this.#ruleset.config
    if (depth >= maxDepth) return 'NULL'
    if (depth >= MAX_PATH_STEPS)
      throw new FilterError(`step ${quote(id)}: more than ${MAX_PATH_STEPS} steps follow each other`)
    if (++this.#visits > MAX_VISITS) throw new FilterError(`step ${quote(id)}: too many paths merge again`)
    const key = `${id}\n${variablesKey(variables, budget)}`
    // The same step with the same variables is an endless loop, which fails.
    if (this.#way.has(key)) return 'NULL'
    this.#way.add(key)
    const text = yield* this.#written(step, variables, depth)
    this.#way.delete(key)
    return text
  }

  /** @param inner the JSON pointer from the step to the part being written */
  #at<Result>(step: Step, inner: string, write: () => Result): Result {
    try {
      return write()
    } catch (error) {
      if (error instanceof Inexpressible || error instanceof GrownTooLarge)
        throw new FilterError(`step ${quote(step.id)}: ${error.message}`, {
          path: `${pointer(at(at(undefined, 'steps'), step.id))}${inner}`,
          construct: error instanceof Inexpressible ? error.construct : undefined,
        })
      throw error
    }
  }

  /** Count text while it is written: stops a query that grows without bound. */
  #counted(...texts: readonly (string | undefined)[]): void {
    for (const text of texts) this.#length += text?.length ?? 0
    if (this.#length > MAX_LENGTH) throw new FilterError(TOO_LONG)
  }

  *#written(step: Step, variables: Variables, depth: number): Pausing<string> {
    if (step.type === 'terminal') return this.#terminal(step, variables)
    if (step.type === 'action')
      return yield* this.#acted(step, { actions: step.actions, place: '', next: step.nextStep }, variables, depth)
    return yield* this.#decision(step, variables, depth)
  }

  *#decision(step: Step & { type: 'decision' }, variables: Variables, depth: number): Pausing<string> {
    const cases: string[] = []
    let hasEnd = false
    const end = (otherwise: string): string => {
      // A CASE with only NULL would have the type text.
      if (otherwise === 'NULL' && !hasEnd) return 'NULL'
      return cases.length === 0 ? otherwise : `CASE ${cases.join(' ')} ELSE ${otherwise} END`
    }
    for (const [index, branch] of step.branches.entries()) {
      const place = `/branches/${index}`
      if (this.#knowledge.budget.wantsPause) yield
      const truth = this.#at(step, `${place}/condition`, () =>
        this.#expressions.truth(this.#evaluated(branch.condition, variables)),
      )
      if (truth.sql === 'FALSE') continue
      this.#counted(truth.sql)
      const next = yield* this.#acted(step, { actions: branch.actions, place, next: branch.nextStep }, variables, depth)
      if (truth.sql === 'TRUE') return end(next)
      hasEnd ||= next !== 'NULL'
      cases.push(`WHEN ${truth.sql} THEN ${next}`)
      if (!truth.canFail) continue
      this.#counted(truth.sql)
      cases.push(`WHEN ${truth.sql} IS NULL THEN NULL`)
    }
    const { defaultNext } = step
    return end(defaultNext === undefined ? 'NULL' : yield* this.step(defaultNext, variables, depth + 1))
  }

  *#acted(step: Step, { actions, place, next }: Acting, variables: Variables, depth: number): Pausing<string> {
    const after = new Map(variables)
    const failing: SqlValue[] = []
    for (const [index, action] of actions.entries()) {
      if (this.#knowledge.budget.wantsPause) yield
      this.#at(step, `${place}/actions/${index}`, () => this.#act(action, after, failing))
    }
    const rest = yield* this.step(next, after, depth + 1)
    const failures = anyFailure(failing)
    this.#counted(failures)
    return failures === undefined || rest === 'NULL' ? rest : `CASE WHEN ${failures} THEN NULL ELSE ${rest} END`
  }

  #act(action: Action, variables: Map<string, Expression | undefined>, failing: SqlValue[]): void {
    if (action.action === 'external_call')
      throw new Inexpressible(
        `the call of ${quote(`${action.service}.${action.method}`)} cannot be written in SQL`,
        action.action,
      )
    if (action.action === 'call_ruleset')
      throw new Inexpressible(
        `the call of the ruleset ${quote(action.rulesetName)} cannot be written in SQL`,
        action.action,
      )
    if (action.action === 'log') return
    const value = this.#evaluated(action.value, variables)
    // Lists and objects are only supported through a member that is read.
    const constant = constantOf(value)
    if (action.action === 'set_variable' && constant !== undefined) {
      variables.set(action.name, value)
      return
    }
    const written = this.#expressions.value(value)
    this.#counted(written.sql)
    const bound = action.action === 'set_variable' ? this.bound.add(action.name, value, written) : undefined
    if (written.canFail) failing.push(bound?.value ?? written)
    if (action.action === 'set_variable') variables.set(action.name, bound?.node ?? value)
  }

  #terminal(step: TerminalStep, variables: Variables): string {
    const message = this.#at(step, '/result/message', () => this.#message(step.message, variables))
    const values = new Map<string, SqlValue>()
    for (const [name, value] of step.fields)
      values.set(
        name,
        this.#at(step, pointer(at(at(undefined, 'result'), name)), () => this.#expressions.literal(value)),
      )
    for (const [index, [name, expression]] of step.output.entries())
      values.set(
        name,
        this.#at(step, `/result/output/${index}/1`, () =>
          this.#expressions.output(this.#evaluated(expression, variables)),
        ),
      )
    const text = message.sql
    this.#counted(text, ...[...values.values()].map(({ sql }) => sql))
    const key = `${step.id}\n${text}\n${[...values].map(([name, { sql }]) => `${name} ${sql}`).join('\n')}`
    const number = this.#known.get(key) ?? this.#ends.length + 1
    if (!this.#known.has(key)) {
      this.#known.set(key, number)
      this.#ends.push({ step, values, message: text })
    }
    const failures = anyFailure([message, ...values.values()])
    this.#counted(failures)
    return failures === undefined ? String(number) : `CASE WHEN ${failures} THEN NULL ELSE ${number} END`
  }

  /** A message as one SQL text. Constant parts are merged into one literal. */
  #message(message: TerminalStep['message'], variables: Variables): SqlValue {
    const text = (sql: string): SqlValue => ({ sql, type: 'text', canBeNull: false, canFail: false })
    if (message.kind === 'text') return text(this.#form.text(message.text))
    const parts: SqlValue[] = []
    let plain = ''
    const end = () => {
      if (plain !== '') parts.push(text(this.#form.text(plain)))
      plain = ''
    }
    for (const part of message.parts) {
      const node = typeof part === 'string' ? part : this.#evaluated(part, variables)
      const constant = typeof node === 'string' ? node : constantOf(node)
      if (constant !== undefined) {
        plain += typeof constant === 'string' ? constant : stringifyJson(constant)
      } else if (typeof node !== 'string') {
        end()
        parts.push(this.#expressions.placed(node))
      }
    }
    if (parts.length === 0) return text(this.#form.text(plain))
    end()
    const failing = parts.filter(({ canFail }) => canFail)
    const fails = anyFailure(failing)
    const sql = parts.length === 1 ? defined(parts[0]).sql : `(${parts.map((part) => part.sql).join(' || ')})`
    return { ...text(sql), canFail: failing.length > 0, ...(fails === undefined ? {} : { fails }) }
  }

  #evaluated(expression: Expression, variables: Variables): Expression {
    const value = finish(evaluated(expression, variables, this.#knowledge))
    if (value === undefined)
      throw new Inexpressible(
        `${quoteCode(print(expression))} reads a value that is only known during an execution`,
        print(expression),
      )
    return value
  }

  /** Names of all outputs. Throws when a column would need two types. */
  outputs(): readonly string[] {
    const types = new Map<string, ValueType>()
    this.#align()
    const written = new Map<string, string>()
    for (const { step, values } of this.#ends) {
      this.#knowledge.budget.spend(8 * values.size)
      for (const [name, { type, sql }] of values) {
        const before = types.get(name) ?? 'null'
        this.#at(step, '/result/output', () => types.set(name, joinedType(before, type, OUTPUT(name))))
        const other = written.get(name)
        // The database would unify the two types, and turn the text '1.0' into the number 1.
        if (before !== 'null' && type !== 'null' && (before === 'unknown' || type === 'unknown') && other !== sql)
          this.assumptions.add(
            `the output ${quote(name)} has values of several sources, assumed to be of one type (\`columns\`)`,
          )
        if (type !== 'null') written.set(name, sql)
      }
    }
    for (const name of ['code', 'message', 'engine_end'])
      if (types.has(name)) throw new FilterError(`the output ${quote(name)} has the same name as a column of the query`)
    return [...types.keys()]
  }

  /** Writes the numbers of each output with the same scale, if the database limits digits. */
  #align(): void {
    for (const name of new Set(this.#ends.flatMap(({ values }) => [...values.keys()]))) {
      const ends = this.#ends.filter(({ values }) => values.has(name))
      const aligned = this.#at(defined(ends[0]).step, '/result/output', () =>
        this.#expressions.aligned(ends.map(({ values }) => defined(values.get(name)))),
      )
      for (const [index, end] of ends.entries()) end.values.set(name, defined(aligned[index]))
    }
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
