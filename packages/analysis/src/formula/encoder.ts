import {
  defined,
  type Binary,
  type Call,
  canFail,
  constantOf,
  type Expression,
  type Field,
  inferType,
  isBinaryOf,
  isNumber,
  type EvaluationPolicy,
  print,
  printPath,
  TYPE,
  type Unary,
  type Value,
  walk,
} from '@engine/expression'
import { FALSE, type Literal, negated, type Solver, TRUE } from '../search/solver.ts'
import type { NumberPoint } from '../terms/order.ts'
import { EXAMPLES, type Feature, type Kind, kindOf, sortedText, Term } from '../terms/term.ts'
import { isPlain } from '../terms/path.ts'
import { ANY_INPUT, type InputDomain, kindsOf } from './domain.ts'
import { type Building, evaluate, FAILS, HOLDS, put, truthOf } from './evaluate.ts'
import { monotoneOf, thresholdsOf } from './monotone.ts'
import { FREE, isFixed, type Test, testOf, truthTest } from './shape.ts'

/** When a condition is true, false, or ends in an error, by the error's code. Exactly one of them is true. */
export interface Truth {
  readonly holds: Literal
  readonly fails: Literal
  readonly errors: ReadonlyMap<string, Literal>
}

/** An error whose code the analysis does not know. */
export const UNKNOWN_ERROR = '?'

const NO_ERRORS: ReadonlyMap<string, Literal> = new Map()

/** What computes numbers of numbers, and what the intervals of its operands say of its own. */
export type Computation = Binary | Unary | Call

/** A computation and its operands, for the check of intervals. */
export interface Arithmetic {
  readonly term: Term
  readonly node: Computation
  readonly policy: EvaluationPolicy
  readonly operands: readonly Operand[]
  /** The expressions of the operands. */
  readonly sources: readonly Expression[]
  /** The result is too large for a number. */
  readonly overflows: Literal
}

/** Two numbers or two texts that are compared with each other. */
export interface Pair {
  readonly left: Term
  readonly right: Term
  readonly kind: 'number' | 'text'
  readonly less: Literal
  readonly equal: Literal
}

export type Operand = { readonly constant: Value } | { readonly term: Term }

/**
 * Conditions as gates over the terms that they read. The interpreter determines the effect of a condition on each kind
 * of value, and on each interval of numbers or texts between two constants: it runs on one example of each.
 */
export class Encoder {
  readonly solver: Solver
  readonly terms = new Map<string, Term>()
  readonly arithmetic: Arithmetic[] = []
  readonly computedBy = new Map<Term, Arithmetic>()
  readonly pairs = new Map<string, Pair>()
  /** Expressions treated as opaque, because the analysis does not model them. */
  readonly opaque = new Map<Term, string>()
  readonly domain: InputDomain
  readonly #truths = new Map<string, Map<Expression, Truth>>()
  readonly #printed = new Map<string, Truth>()
  readonly #names = new Map<string, number>()
  readonly #errors = new Map<string, ReadonlyMap<string, Literal>>()

  constructor(solver: Solver, domain: InputDomain = ANY_INPUT) {
    this.solver = solver
    this.domain = domain
  }

  /** A short name for a long text; the same text has the same name. */
  nameOf(text: string): string {
    const known = this.#names.get(text) ?? this.#names.size
    this.#names.set(text, known)
    return `#${known}`
  }

  /** The same text for policies under which every expression has the same value. */
  policyText(policy: EvaluationPolicy): string {
    return keyOf(policy)
  }

  /** When a condition holds, fails or ends in an error. */
  truth(expression: Expression, policy: EvaluationPolicy): Truth {
    const key = keyOf(policy)
    let known = this.#truths.get(key)
    if (known === undefined) this.#truths.set(key, (known = new Map()))
    const found = known.get(expression) ?? this.#truthOf(expression, policy)
    known.set(expression, found)
    return found
  }

  /** When the evaluation of an expression ends in an error, by its code. */
  errors(expression: Expression, policy: EvaluationPolicy): ReadonlyMap<string, Literal> {
    if (constantOf(expression) !== undefined) return NO_ERRORS
    const key = `${keyOf(policy)} ${print(expression)}`
    const known = this.#errors.get(key)
    if (known !== undefined) return known
    const found = this.#errorsOf(expression, policy)
    this.#errors.set(key, found)
    return found
  }

  /** The term of a field. */
  field(field: Field): Term {
    const path = printPath(field)
    const known = this.terms.get(path)
    if (known !== undefined) return known
    const domain = this.domain.get(path)
    const term = new Term(this.solver, field, kindsOf(domain), domain?.integer === true)
    this.terms.set(path, term)
    if (domain !== undefined) this.#narrow(term, domain)
    for (const other of this.terms.values()) {
      if (other === term || other.field === undefined) continue
      if (leadsTo(other.field, field)) this.#nest(other, term)
      else if (leadsTo(field, other.field)) this.#nest(term, other)
    }
    return term
  }

  /** The term of an expression that is no constant. */
  term(expression: Expression, policy: EvaluationPolicy): Term {
    if (expression.kind === 'field' && isPlain(expression.path)) return this.field(expression)
    const key = `${keyOf(policy)} ${print(expression)}`
    const known = this.terms.get(key)
    if (known !== undefined) return known
    const errors = this.#isArithmetic(expression) ? undefined : this.errors(expression, policy)
    const mayFail = errors === undefined || errors.size > 0
    const term = new Term(
      this.solver,
      expression,
      mayFail ? [...kindsByType(expression), 'error'] : kindsByType(expression),
    )
    this.terms.set(key, term)
    if (this.#isArithmetic(expression)) this.#link(term, expression, policy)
    else if (isLogical(expression)) {
      const { holds, fails, errors: failures } = this.truth(expression, policy)
      this.#same(term.is('true'), holds)
      this.#same(term.is('false'), fails)
      if (term.kinds.has('error')) this.#same(term.is('error'), this.solver.or([...failures.values()]))
    } else {
      if (errors !== undefined && errors.size > 0) this.#same(term.is('error'), this.solver.or([...errors.values()]))
      this.opaque.set(term, print(expression))
      // Its value depends on these fields.
      walk(expression, (node) => {
        if (node.kind === 'field' && isPlain(node.path)) this.field(node)
      })
    }
    return term
  }

  #truthOf(expression: Expression, policy: EvaluationPolicy): Truth {
    const { solver } = this
    if (expression.kind === 'unary' && expression.operator === '!') {
      const { holds, fails, errors } = this.truth(expression.operand, policy)
      return { holds: fails, fails: holds, errors }
    }
    if (isBinaryOf('logic', expression)) {
      const left = this.truth(expression.left, policy)
      const right = this.truth(expression.right, policy)
      const isAnd = expression.operator === '&&'
      const [go, stop] = isAnd ? [left.holds, left.fails] : [left.fails, left.holds]
      const errors = this.#joined(left.errors, right.errors, go)
      const [onward, end] = isAnd ? [right.holds, right.fails] : [right.fails, right.holds]
      const cannotFail = left.errors.size === 0 && right.errors.size === 0
      const all = solver.and([go, onward])
      const some = solver.or([stop, cannotFail ? end : solver.and([go, end])])
      return isAnd ? { holds: all, fails: some, errors } : { holds: some, fails: all, errors }
    }
    if (expression.kind === 'conditional') {
      const condition = this.truth(expression.condition, policy)
      const yes = this.truth(expression.consequent, policy)
      const no = this.truth(expression.alternate, policy)
      const pick = (way: 'holds' | 'fails') =>
        solver.or([solver.and([condition.holds, yes[way]]), solver.and([condition.fails, no[way]])])
      const errors = this.#joined(
        this.#joined(condition.errors, yes.errors, condition.holds),
        no.errors,
        condition.fails,
      )
      return { holds: pick('holds'), fails: pick('fails'), errors }
    }
    const key = `${keyOf(policy)} ${print(expression)}`
    const known = this.#printed.get(key) ?? this.#atom(expression, policy)
    this.#printed.set(key, known)
    return known
  }

  #joined(
    first: ReadonlyMap<string, Literal>,
    second: ReadonlyMap<string, Literal>,
    when: Literal,
  ): ReadonlyMap<string, Literal> {
    if (second.size === 0) return first
    const joined = new Map(first)
    for (const [code, literal] of second) {
      const found = this.solver.or([joined.get(code) ?? FALSE, this.solver.and([when, literal])])
      if (found !== FALSE) joined.set(code, found)
    }
    return joined
  }

  #atom(expression: Expression, policy: EvaluationPolicy): Truth {
    if (isFixed(expression)) return this.#fixed(truthOf(evaluate(expression, policy, {})))
    const test = testOf(expression)
    if (test !== undefined) {
      const through = transparent(test.operand)
      if (through !== undefined) return this.#byCells(this.field(through), test, inField(expression, policy, through))
      const monotone = monotoneOf(expression, test)
      const thresholds = monotone && thresholdsOf(expression, monotone, policy)
      if (monotone !== undefined && thresholds !== undefined) {
        const run = inField(expression, policy, monotone)
        const { cuts, blurred } = thresholds
        const blurOf = (value: Value | undefined) =>
          isNumber(value ?? null)
            ? blurred.find(([low, high]) => low < (value as number) && (value as number) < high)
            : undefined
        return this.#byCells(this.field(monotone), { ...test, numbers: cuts, texts: [], features: [] }, (value) => {
          const blur = blurOf(value)
          return blur === undefined ? run(value) : `${run(blur[0])}${OR_ELSE}${run(blur[1])}`
        })
      }
      return this.#computed(expression, test, policy)
    }
    if (isBinaryOf('order', expression) || isBinaryOf('equality', expression)) {
      const pair = this.#pair(expression, policy)
      if (pair !== undefined) return pair
    }
    const through = transparent(expression)
    if (through !== undefined)
      return this.#byCells(this.field(through), truthTest(expression), inField(expression, policy, through))
    return this.#computed(expression, truthTest(expression), policy)
  }

  #fixed(outcome: string): Truth {
    if (outcome === HOLDS) return { holds: TRUE, fails: FALSE, errors: NO_ERRORS }
    if (outcome === FAILS) return { holds: FALSE, fails: TRUE, errors: NO_ERRORS }
    return { holds: FALSE, fails: FALSE, errors: new Map([[outcome, TRUE]]) }
  }

  /** A test of a computed value: the value is a term, and its errors come before the test. */
  #computed(expression: Expression, test: Test, policy: EvaluationPolicy): Truth {
    const term = this.term(test.operand, policy)
    const whole = replaced(expression, test.operand)
    const truth = this.#byCells(term, test, (value) =>
      value === undefined ? UNKNOWN_ERROR : truthOf(evaluate(whole, policy, {}, new Map([[HOLE, value]]))),
    )
    return { ...truth, errors: this.#withErrors(truth.errors, this.errors(test.operand, policy)) }
  }

  #withErrors(
    own: ReadonlyMap<string, Literal>,
    ofOperand: ReadonlyMap<string, Literal>,
  ): ReadonlyMap<string, Literal> {
    const errors = new Map(own)
    for (const [code, literal] of ofOperand) errors.set(code, this.solver.or([errors.get(code) ?? FALSE, literal]))
    return errors
  }

  /** The outcome on each kind of value, and on each stretch of numbers and texts between the test's constants. */
  #byCells(term: Term, test: Test, run: (value: Value | undefined) => string): Truth {
    const cells = new Map<string, Literal[]>()
    const note = (outcome: string, literal: Literal): void => {
      if (literal === FALSE) return
      if (outcome.includes(OR_ELSE)) {
        const isFirst = this.solver.createVariable()
        const [first = '', second = ''] = outcome.split(OR_ELSE)
        note(first, this.solver.and([literal, isFirst]))
        return note(second, this.solver.and([literal, negated(isFirst)]))
      }
      const known = cells.get(outcome)
      if (known === undefined) cells.set(outcome, [literal])
      else known.push(literal)
    }
    for (const text of test.texts) term.noteText(text)
    const features = test.features.map(({ kind, constant }) =>
      term.feature(kind, constant, `${kind} ${sortedText(constant)}`),
    )
    for (const [kind, literal] of term.kinds) {
      if (kind === 'error') continue
      const own = features.filter((feature) => feature.kinds.includes(kind))
      if (kind === 'missing') note(run(undefined), literal)
      else if (kind === 'number') {
        for (const part of term.numbers.stretches<string>(test.numbers, run))
          note(part.found, this.#both(literal, part))
      } else if (own.length > 0) this.#byFeature(kind, literal, own, run, note)
      else if (kind === 'text') {
        for (const part of term.texts.stretches<string>(test.texts, run)) note(part.found, this.#both(literal, part))
      } else note(run(EXAMPLES[kind]), literal)
    }
    const errors = new Map<string, Literal>()
    for (const [outcome, literals] of cells)
      if (outcome !== HOLDS && outcome !== FAILS) errors.set(outcome, this.solver.or(literals))
    return { holds: this.#any(cells.get(HOLDS)), fails: this.#any(cells.get(FAILS)), errors }
  }

  #both(kind: Literal, part: { readonly literal: Literal }): Literal {
    return this.solver.and([kind, part.literal])
  }

  #any(literals: readonly Literal[] | undefined): Literal {
    return literals === undefined ? FALSE : this.solver.or(literals)
  }

  #byFeature(
    kind: Kind,
    literal: Literal,
    features: readonly Feature[],
    run: (value: Value | undefined) => string,
    note: (outcome: string, literal: Literal) => void,
  ): void {
    for (const feature of features) {
      const value = feature.kind === 'element' ? [feature.constant] : feature.constant
      note(run(value), this.solver.and([literal, feature.literal]))
    }
    const without = (PLAIN[kind] ?? []).find((value) => !features.some((feature) => feature.holds(value)))
    const none = this.solver.and([literal, ...features.map((feature) => negated(feature.literal))])
    if (without !== undefined) note(run(without), none)
    else this.solver.addClause([negated(none)])
  }

  /** A comparison of two values of which neither is constant. */
  #pair(node: Binary, policy: EvaluationPolicy): Truth | undefined {
    const left = this.term(node.left, policy)
    const right = this.term(node.right, policy)
    if (left === right) return undefined
    const compare = { ...node, left: hole('left', node.left), right: hole('right', node.right) }
    const cells = new Map<string, Literal[]>()
    const note = (first: Value | undefined, second: Value | undefined, literal: Literal): void => {
      if (literal === FALSE) return
      const found = truthOf(evaluate(compare, policy, {}, given(first, second)))
      const known = cells.get(found)
      if (known === undefined) cells.set(found, [literal])
      else known.push(literal)
    }
    for (const [leftKind, isLeft] of left.kinds) {
      if (leftKind === 'error') continue
      const first = exampleOf(leftKind, node.left, policy)
      if (first === 'fails') continue
      for (const [rightKind, isRight] of right.kinds) {
        if (rightKind === 'error') continue
        const second = exampleOf(rightKind, node.right, policy)
        if (second === 'fails') continue
        const both = this.solver.and([isLeft, isRight])
        const [one, other] = [first.value, second.value]
        const kinds = [kindOf(one), kindOf(other)]
        if (kinds[0] !== kinds[1] || !['number', 'text', 'list', 'object'].includes(kinds[0] ?? ''))
          note(one, other, both)
        else if (leftKind === 'missing' || rightKind === 'missing') return undefined
        else if (leftKind === 'number' || leftKind === 'text') {
          const { less, equal } = this.#pairOf(left, right, leftKind)
          const [low, high] = leftKind === 'number' ? [1, 2] : ['a', 'b']
          note(low, high, this.solver.and([both, less]))
          note(low, low, this.solver.and([both, equal]))
          note(high, low, this.solver.and([both, negated(less), negated(equal)]))
        } else {
          const equal = this.#sameness(left, right, leftKind)
          note(one, one, this.solver.and([both, equal]))
          note(one, leftKind === 'list' ? ['another'] : { another: 1 }, this.solver.and([both, negated(equal)]))
        }
      }
    }
    const errors = new Map<string, Literal>()
    for (const [outcome, literals] of cells)
      if (outcome !== HOLDS && outcome !== FAILS) errors.set(outcome, this.solver.or(literals))
    const ofLeft = this.errors(node.left, policy)
    const leftWorks = negated(this.solver.or([...ofLeft.values()]))
    const before = this.#joined(ofLeft, this.errors(node.right, policy), leftWorks)
    return {
      holds: this.#any(cells.get(HOLDS)),
      fails: this.#any(cells.get(FAILS)),
      errors: this.#withErrors(errors, before),
    }
  }

  #pairOf(left: Term, right: Term, kind: 'number' | 'text'): { less: Literal; equal: Literal } {
    const terms = [...this.terms.values()]
    const [first, second] = [terms.indexOf(left), terms.indexOf(right)]
    if (first > second) {
      const { less, equal } = this.#pairOf(right, left, kind)
      return { less: this.solver.and([negated(less), negated(equal)]), equal }
    }
    const key = `${first} ${second} ${kind}`
    const known = this.pairs.get(key)
    if (known !== undefined) return known
    const pair = { left, right, kind, less: this.solver.createVariable(), equal: this.solver.createVariable() }
    this.solver.addClause([negated(pair.less), negated(pair.equal)])
    this.pairs.set(key, pair)
    return pair
  }

  readonly #samenesses = new Map<string, Literal>()

  #sameness(left: Term, right: Term, kind: Kind): Literal {
    const terms = [...this.terms.values()]
    const key = `${[terms.indexOf(left), terms.indexOf(right)].sort((one, other) => one - other).join()} ${kind}`
    const known = this.#samenesses.get(key) ?? this.solver.createVariable()
    this.#samenesses.set(key, known)
    return known
  }

  #same(left: Literal, right: Literal): void {
    this.solver.addClause([negated(left), right])
    this.solver.addClause([left, negated(right)])
  }

  #narrow(term: Term, { minimum, maximum, values }: NonNullable<ReturnType<InputDomain['get']>>): void {
    const number = term.is('number')
    if (minimum !== undefined) this.solver.addClause([negated(number), negated(term.numbers.below(minimum))])
    if (maximum !== undefined) this.solver.addClause([negated(number), term.numbers.atMost(maximum)])
    if (values === undefined) return
    const allowed = values.flatMap((value): Literal[] => {
      const kind = kindOf(value)
      if (kind === 'number') return [this.solver.and([number, term.numbers.equals(value as NumberPoint)])]
      if (typeof value === 'string') {
        term.noteText(value)
        return [this.solver.and([term.is('text'), term.texts.equals(value)])]
      }
      return [term.is(kind)]
    })
    this.solver.addClause([...allowed, term.is('missing')])
  }

  /** A member can only be there when what holds it is an object, or a list for an index. */
  #nest(outer: Term, inner: Term): void {
    this.solver.addClause([inner.is('missing'), outer.is('object'), outer.is('list')])
    const next = inner.field?.path[outer.field?.path.length ?? 0]
    if (next?.kind === 'name') this.solver.addClause([inner.is('missing'), negated(outer.is('list'))])
  }

  #isArithmetic(expression: Expression): expression is Computation {
    return isComputation(expression)
  }

  #operand(expression: Expression, policy: EvaluationPolicy): Operand {
    const constant = constantOf(expression)
    return constant === undefined ? { term: this.term(expression, policy) } : { constant }
  }

  #errorsOf(expression: Expression, policy: EvaluationPolicy): ReadonlyMap<string, Literal> {
    if (expression.kind === 'field' && isPlain(expression.path)) {
      if (policy.mode !== 'strict') return NO_ERRORS
      const missing = this.field(expression).is('missing')
      return missing === FALSE ? NO_ERRORS : new Map([['missing-field', missing]])
    }
    if (this.#isArithmetic(expression)) {
      this.term(expression, policy)
      return this.#computationErrors.get(`${keyOf(policy)} ${print(expression)}`) ?? NO_ERRORS
    }
    if (isLogical(expression)) return this.truth(expression, policy).errors
    if (!canFail(expression, policy)) return NO_ERRORS
    return new Map([[UNKNOWN_ERROR, this.solver.createVariable()]])
  }

  readonly #computationErrors = new Map<string, ReadonlyMap<string, Literal>>()

  /** The kind of an arithmetic result for all kinds of its operands, by running it; intervals bound its size. */
  #link(term: Term, node: Computation, policy: EvaluationPolicy): void {
    const sources = operandsOfComputation(node)
    const operands = sources.map((source) => this.#operand(source, policy))
    const isDivision = node.kind === 'binary' && (node.operator === '/' || node.operator === '%')
    const canOverflow = node.kind === 'binary' && node.operator !== '%' && term.kinds.has('number')
    const overflows = canOverflow ? this.solver.createVariable() : FALSE
    const zero = isDivision ? this.#isZero(operands[1]) : FALSE
    const whole = withHoles(node)
    const results = new Map<Kind, Literal[]>()
    const errors = new Map<string, Literal[]>()
    const add = <Key>(to: Map<Key, Literal[]>, key: Key, literal: Literal): void => {
      if (literal !== FALSE) to.set(key, [...(to.get(key) ?? []), literal])
    }
    for (const { values, literals } of this.#combinations(operands, sources, policy)) {
      const all = this.solver.and(literals)
      const found = evaluate(whole, policy, {}, heldBy(values))
      if ('error' in found) add(errors, found.error, all)
      else if (kindOf(found.value) === 'number') {
        add(results, 'number', this.solver.and([all, negated(zero), negated(overflows)]))
        add(errors, 'division-by-zero', this.solver.and([all, zero]))
        add(errors, 'not-finite', this.solver.and([all, negated(zero), overflows]))
      } else add(results, kindOf(found.value), all)
    }
    const own = new Map([...errors].map(([code, literals]) => [code, this.solver.or(literals)] as const))
    let before: ReadonlyMap<string, Literal> = NO_ERRORS
    let works: Literal = TRUE
    for (const source of sources) {
      const failures = this.errors(source, policy)
      before = this.#joined(before, failures, works)
      works = this.solver.and([works, ...[...failures.values()].map(negated)])
    }
    const all = this.#withErrors(own, before)
    this.#computationErrors.set(`${keyOf(policy)} ${print(node)}`, all)
    this.#same(term.is('error'), this.solver.or([...all.values()]))
    for (const [kind, literal] of term.kinds)
      if (kind !== 'error') this.#same(literal, this.solver.or(results.get(kind) ?? []))
    const computation = { term, node, policy, operands, sources, overflows }
    this.arithmetic.push(computation)
    this.computedBy.set(term, computation)
    if (term.kinds.has('text')) this.opaque.set(term, print(node))
  }

  /** A value of each kind for every operand, in all combinations. */
  #combinations(
    operands: readonly Operand[],
    sources: readonly Expression[],
    policy: EvaluationPolicy,
  ): readonly { readonly values: readonly Value[]; readonly literals: readonly Literal[] }[] {
    let found: { values: readonly Value[]; literals: readonly Literal[] }[] = [{ values: [], literals: [] }]
    for (const [index, operand] of operands.entries()) {
      const examples = [...this.#examples(operand, defined(sources[index]), policy)]
      found = found.flatMap(({ values, literals }) =>
        examples.map(([value, literal]) => ({ values: [...values, value], literals: [...literals, literal] })),
      )
    }
    return found
  }

  #isZero(operand: Operand | undefined): Literal {
    if (operand === undefined) return FALSE
    // Division by a constant zero fails whenever it is run.
    if ('constant' in operand) return FALSE
    return operand.term.numbers.equals(0)
  }

  /** A value for each kind that an operand can have without failing. */
  *#examples(operand: Operand, node: Expression, policy: EvaluationPolicy): Generator<[Value, Literal]> {
    if ('constant' in operand) {
      yield [operand.constant, TRUE]
      return
    }
    for (const [kind, literal] of operand.term.kinds) {
      if (kind === 'error') continue
      const example = exampleOf(kind, node, policy)
      if (example !== 'fails') yield [example.value, literal]
    }
  }
}

/** Functions of numbers with at most two operands that are not constant. */
const NUMERIC: ReadonlySet<string> = new Set(['abs', 'floor', 'ceil', 'round', 'min', 'max'])

function isComputation(expression: Expression): expression is Computation {
  if (isBinaryOf('arithmetic', expression)) return true
  if (expression.kind === 'unary') return expression.operator === '-'
  if (expression.kind !== 'call' || !NUMERIC.has(expression.name)) return false
  const { name, args } = expression
  if (name === 'min' || name === 'max') return args.length === 2
  return args.slice(1).every((argument) => constantOf(argument) !== undefined)
}

function operandsOfComputation(node: Computation): readonly Expression[] {
  if (node.kind === 'binary') return [node.left, node.right]
  return node.kind === 'unary' ? [node.operand] : node.args
}

const HOLES = ['first', 'second', 'third'] as const

/** The same computation of variables instead of its operands. */
export function withHoles(node: Computation): Expression {
  const [first, second] = operandsOfComputation(node)
  if (node.kind === 'unary') return { ...node, operand: hole(HOLES[0], node.operand) }
  if (node.kind === 'binary')
    return { ...node, left: hole(HOLES[0], first ?? node), right: hole(HOLES[1], second ?? node) }
  return {
    ...node,
    args: node.args.map((argument, index) => (index < 2 ? hole(HOLES[index] ?? '', argument) : argument)),
  }
}

/** The variables of `withHoles`. */
export function heldBy(values: readonly Value[]): ReadonlyMap<string, Value> {
  return new Map(values.map((value, index) => [HOLES[index] ?? '', value]))
}

const HOLE = 'hole'

/** Between two outcomes of which one or the other occurs. */
const OR_ELSE = ' or '

/** Values without a feature that conditions look for, by kind. */
const PLAIN: Partial<Readonly<Record<Kind, readonly Value[]>>> = {
  text: ['', 'text', 'x'],
  list: [['other'], ['another']],
  object: [{ other: 1 }, { another: 1 }],
  'empty list': [[]],
  'empty object': [{}],
}

function hole(name: string, at: Expression): Expression {
  return { kind: 'variable', name, path: [], span: at.span }
}

function given(left: Value | undefined, right: Value | undefined): ReadonlyMap<string, Value> {
  return new Map([
    ['left', left ?? null],
    ['right', right ?? null],
  ])
}

/** The same expression with its operand replaced by a variable. */
function replaced(expression: Expression, operand: Expression): Expression {
  if (expression === operand) return hole(HOLE, expression)
  if (expression.kind === 'binary')
    return expression.left === operand
      ? { ...expression, left: hole(HOLE, operand) }
      : { ...expression, right: hole(HOLE, operand) }
  if (expression.kind === 'call')
    return {
      ...expression,
      args: expression.args.map((argument) => (argument === operand ? hole(HOLE, operand) : argument)),
    }
  return expression
}

/** What an operand of a kind is when it is read: a missing field is null or its default, or the reading fails. */
function exampleOf(kind: Kind, node: Expression, policy: EvaluationPolicy): { readonly value: Value } | 'fails' {
  if (kind !== 'missing') return { value: EXAMPLES[kind as keyof typeof EXAMPLES] }
  const found = evaluate(node, policy, {})
  return 'error' in found ? 'fails' : found
}

/** The field that an operand is, perhaps with a constant in its place when it is missing or null, or its type. */
function transparent(operand: Expression): Field | undefined {
  if (operand.kind === 'field') return isPlain(operand.path) ? operand : undefined
  if (operand.kind !== 'call') return undefined
  const [first, ...rest] = operand.args
  if (first?.kind !== 'field' || !isPlain(first.path)) return undefined
  if (operand.name === 'type' && rest.length === 0) return first
  const areConstant = rest.every((argument) => constantOf(argument) !== undefined)
  return operand.name === 'coalesce' && areConstant ? first : undefined
}

function inField(expression: Expression, policy: EvaluationPolicy, field: Field): (value: Value | undefined) => string {
  return (value) => {
    const input: Building = {}
    if (value !== undefined) put(input, field.path, value)
    return truthOf(evaluate(expression, policy, input))
  }
}

function isLogical(expression: Expression): boolean {
  return isBinaryOf('logic', expression) || (expression.kind === 'unary' && expression.operator === '!')
}

function leadsTo(outer: Field, inner: Field): boolean {
  return (
    outer.path.length < inner.path.length &&
    outer.path.every((segment, index) => {
      const other = inner.path[index]
      if (segment.kind === 'name') return other?.kind === 'name' && segment.name === other.name
      return segment.kind === 'index' && other?.kind === 'index' && segment.index === other.index
    })
  )
}

const KINDS_BY_TYPE: readonly (readonly [number, readonly Kind[]])[] = [
  [TYPE.null, ['null']],
  [TYPE.boolean, ['false', 'true']],
  [TYPE.number, ['number']],
  [TYPE.string, ['text']],
  [TYPE.array, ['empty list', 'list']],
  [TYPE.object, ['empty object', 'object']],
]

function kindsByType(expression: Expression): readonly Kind[] {
  if (expression.kind === 'variable' && expression.name.startsWith(FREE))
    return KINDS_BY_TYPE.flatMap(([, kinds]) => kinds)
  const type = inferType(expression)
  return KINDS_BY_TYPE.flatMap(([bit, kinds]) => ((type & bit) === 0 ? [] : kinds))
}

const keys = new WeakMap<EvaluationPolicy, string>()

/** One text for all policies under which an expression has the same value. */
function keyOf(policy: EvaluationPolicy): string {
  const { defaults, mode, ...rest } = policy
  const known = keys.get(policy)
  if (known !== undefined) return known
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  const key = `${mode}${more}${mode === 'default' ? ` ${sortedText(Object.fromEntries(defaults))}` : ''}`
  keys.set(policy, key)
  return key
}
