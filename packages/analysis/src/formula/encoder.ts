import {
  type Binary,
  canFail,
  constantOf,
  defined,
  type EvaluationPolicy,
  type Expression,
  type Field,
  inferType,
  isBinaryOf,
  isDecimal,
  isNumber,
  isQuotient,
  type Numbers,
  parsePath,
  printPath,
  TYPE,
  type Value,
  walk,
} from '@engine/expression'
import { FALSE, type Literal, negated, type Solver, TRUE } from '../search/solver.ts'
import { DECIMALS, INTEGERS, type NumberPoint, NUMBERS, type Order } from '../terms/order.ts'
import { EXAMPLES, type Feature, type Kind, kindOf, sortedText, Term } from '../terms/term.ts'
import { isPlain } from '../terms/path.ts'
import {
  type Arithmetic,
  type Computation,
  HOLES,
  isComputation,
  type Operand,
  operandsOfComputation,
  withHoles,
} from './computation.ts'
import type { AskedCall } from './answers.ts'
import { canonicalText } from './canonical-text.ts'
import { ANY_INPUT, type InputDomain, kindsOf } from './domain.ts'
import { type Building, evaluate, type Evaluated, FAILS, HOLDS, put, truthOf } from './evaluate.ts'
import { monotoneOf, thresholdsOf } from './monotone.ts'
import {
  distributedTest,
  exampleOf,
  HOLE,
  hole,
  inField,
  isLogical,
  kindsByType,
  outerPaths,
  replaced,
  transparent,
} from './operand.ts'
import { type Outcome, Outcomes, type Partition } from './outcomes.ts'
import { Pairs } from './pairs.ts'
import { keyOf } from './policy-key.ts'
import { FREE, isFixed, type Test, testOf, truthTest } from './shape.ts'
import { joinErrors, NO_ERRORS, type Truth, truthOfCells, uniteErrors, UNKNOWN_ERROR } from './truth.ts'

/**
 * Conditions as gates over the terms that they read. The interpreter determines the effect of a condition on each kind
 * of value, and on each interval of numbers or texts between two constants: it runs on one example of each.
 */
export class Encoder {
  readonly solver: Solver
  readonly terms = new Map<string, Term>()
  readonly arithmetic: Arithmetic[] = []
  readonly computedBy = new Map<Term, Arithmetic>()
  readonly pairs: Pairs
  /** The terms of fields by the paths of the fields that contain them. */
  readonly #inner = new Map<string, Term[]>()
  /** Whether values are whole numbers, for terms that a contract requires to be. */
  readonly whole = new Map<Term, Literal>()
  /** The values of fields of which the domain allows a few. */
  readonly allowed = new Map<Term, readonly Value[]>()
  /** Expressions treated as opaque, because the analysis does not model them. */
  readonly opaque = new Map<Term, { readonly text: string; readonly policy: EvaluationPolicy }>()
  /** Computations that do not end in a number too large where these hold, for integers between two doubles. */
  readonly finite = new Map<Literal, Expression>()
  /** External calls, by the text that equal ones share. */
  readonly calls = new Map<string, AskedCall>()
  readonly domain: InputDomain
  readonly numbers: Numbers
  readonly outcomes: Outcomes
  readonly #order: Order<NumberPoint>
  readonly #truths = new Map<string, Map<Expression, Truth>>()
  readonly #printed = new Map<string, Truth>()
  readonly #names = new Map<string, number>()
  readonly #free = new Map<string, Literal>()
  readonly #errors = new Map<string, ReadonlyMap<string, Literal>>()

  /** @param numbers those of the rulesets: one encoder serves one kind */
  constructor(solver: Solver, domain: InputDomain = ANY_INPUT, numbers: Numbers = 'double', outcomes = new Outcomes()) {
    this.outcomes = outcomes
    this.solver = solver
    this.numbers = numbers
    this.#order = numbers === 'decimal' ? DECIMALS : NUMBERS
    this.pairs = new Pairs(solver)
    this.domain = domain
  }

  /**
   * Gives inputs all required fields of the domain: an input without a field that no rule reads is not allowed either. Searches
   * that lay their inputs over allowed ones do without. The cost is linear in the number of these fields.
   */
  requireFields(): this {
    for (const [path, { required }] of this.domain) {
      const parsed = required === true ? parsePath(path) : undefined
      if (parsed?.kind === 'parsed' && parsed.expression.kind === 'field') this.field(parsed.expression)
    }
    return this
  }

  /** A short name for a long text; the same text has the same name. */
  nameOf(text: string): string {
    const known = this.#names.get(text) ?? this.#names.size
    this.#names.set(text, known)
    return `#${known}`
  }

  /** Whether something happens that the analysis does not model; the same text is the same. */
  free(text: string): Literal {
    const known = this.#free.get(text) ?? this.solver.createVariable()
    this.#free.set(text, known)
    return known
  }

  /** Whether the value of a term is a whole number, if it is a number. */
  wholeness(term: Term): Literal {
    const known = this.whole.get(term) ?? this.solver.createVariable()
    this.whole.set(term, known)
    return known
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
    const found = known.get(expression) ?? this.#wholeTruth(expression, policy, key)
    known.set(expression, found)
    return found
  }

  /** Versions of a ruleset that are edited have the same conditions in other objects. */
  #wholeTruth(expression: Expression, policy: EvaluationPolicy, policyKey: string): Truth {
    const key = `${policyKey} ${canonicalText(expression)}`
    const found = this.#printed.get(key) ?? this.#truthOf(expression, policy)
    this.#printed.set(key, found)
    return found
  }

  /** When the evaluation of an expression ends in an error, by its code. */
  errors(expression: Expression, policy: EvaluationPolicy): ReadonlyMap<string, Literal> {
    if (constantOf(expression) !== undefined) return NO_ERRORS
    const key = `${keyOf(policy)} ${canonicalText(expression)}`
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
    const term = new Term(this.solver, field, kindsOf(domain), domain?.integer === true ? INTEGERS : this.#order)
    this.terms.set(path, term)
    if (domain !== undefined) this.#narrow(term, domain)
    for (const outer of outerPaths(field)) {
      const holder = this.terms.get(outer)
      if (holder !== undefined) this.#nest(holder, term)
      const inner = this.#inner.get(outer)
      if (inner === undefined) this.#inner.set(outer, [term])
      else inner.push(term)
    }
    for (const inner of this.#inner.get(path) ?? []) this.#nest(term, inner)
    return term
  }

  /** The term of an expression that has no constant value. */
  term(expression: Expression, policy: EvaluationPolicy): Term {
    if (expression.kind === 'field' && isPlain(expression.path)) return this.field(expression)
    const key = `${keyOf(policy)} ${canonicalText(expression)}`
    const known = this.terms.get(key)
    if (known !== undefined) return known
    const errors = isComputation(expression) ? undefined : this.errors(expression, policy)
    const mayFail = errors === undefined || errors.size > 0
    const term = new Term(
      this.solver,
      expression,
      mayFail ? [...kindsByType(expression), 'error'] : kindsByType(expression),
      isLength(expression) ? INTEGERS : this.#order,
    )
    this.terms.set(key, term)
    if (isComputation(expression)) this.#link(term, expression, policy)
    else if (isLogical(expression)) {
      const { holds, fails, errors: failures } = this.truth(expression, policy)
      this.#same(term.is('true'), holds)
      this.#same(term.is('false'), fails)
      if (term.kinds.has('error')) this.#same(term.is('error'), this.solver.or([...failures.values()]))
    } else {
      if (errors !== undefined && errors.size > 0) this.#same(term.is('error'), this.solver.or([...errors.values()]))
      this.opaque.set(term, { text: canonicalText(expression), policy })
      // Its value depends on these fields.
      walk(expression, (node) => {
        if (node.kind === 'field' && isPlain(node.path)) this.field(node)
      })
      this.#bound(term, expression, policy)
    }
    return term
  }

  /** The results of a function of one field for kinds that have one value, by running it, and the least length of others. */
  #bound(term: Term, call: Expression, policy: EvaluationPolicy): void {
    if (call.kind !== 'call') return
    const [argument, ...rest] = call.args
    if (argument?.kind !== 'field' || !isPlain(argument.path)) return
    const field = this.field(argument)
    // No lambda is called for an empty list.
    const isByKind = areConstants(rest)
    if (!areConstants(rest.filter(({ kind }) => kind !== 'lambda'))) return
    for (const kind of isByKind ? SINGLE : (['empty list'] as const)) {
      const input: Building = {}
      if (kind !== 'missing') put(input, argument.path, EXAMPLES[kind])
      this.#implyValue(field.is(kind), term, evaluate(call, policy, input))
    }
    if (!isLength(call)) return
    this.solver.addClause([negated(term.is('number')), negated(term.numbers.below(0))])
    for (const kind of ['list', 'object'] as const)
      this.solver.addClause([negated(field.is(kind)), negated(term.is('number')), negated(term.numbers.below(1))])
  }

  /** The value or the error of a term if a literal is true. */
  #implyValue(literal: Literal, term: Term, found: Evaluated): void {
    const kind = 'error' in found ? 'error' : kindOf(found.value)
    if (literal === FALSE || !term.kinds.has(kind)) return
    const imply = (effect: Literal): void => this.solver.addClause([negated(literal), effect])
    imply(term.is(kind))
    if ('error' in found) return
    if (isNumber(found.value)) imply(term.numbers.equals(found.value))
    if (typeof found.value !== 'string') return
    term.noteText(found.value)
    imply(term.texts.equals(found.value))
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
      const errors = joinErrors(this.solver, left.errors, right.errors, go)
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
      const errors = joinErrors(
        this.solver,
        joinErrors(this.solver, condition.errors, yes.errors, condition.holds),
        no.errors,
        condition.fails,
      )
      return { holds: pick('holds'), fails: pick('fails'), errors }
    }
    const distributed = distributedTest(expression, policy)
    if (distributed !== undefined) return this.truth(distributed, policy)
    return this.#atom(expression, policy)
  }

  #atom(expression: Expression, policy: EvaluationPolicy): Truth {
    if (isFixed(expression)) return this.#fixed(truthOf(evaluate(expression, policy, {})))
    const test = testOf(expression)
    if (test !== undefined) {
      const through = transparent(test.operand)
      if (through !== undefined) return this.#byCells(this.field(through), test, inField(expression, policy, through))
      const monotone = monotoneOf(expression, test)
      const thresholds =
        monotone && this.outcomes.thresholds(expression, policy, () => thresholdsOf(expression, monotone, policy))
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
    if (isQuotient(test.operand, policy.numbers) && test.numbers.some(isDecimal))
      return this.#computed(expression, truthTest(expression), policy)
    const { term, errors } = this.#compared(test.operand, policy)
    const whole = replaced(expression, test.operand)
    const truth = this.#byCells(term, test, (value) =>
      value === undefined ? UNKNOWN_ERROR : truthOf(evaluate(whole, policy, {}, new Map([[HOLE, value]]))),
    )
    return { ...truth, errors: uniteErrors(this.solver, truth.errors, errors) }
  }

  /** A side of a comparison. A decimal quotient is compared before it is rounded, and however large it is. */
  #compared(
    expression: Expression,
    policy: EvaluationPolicy,
  ): { readonly term: Term; readonly errors: ReadonlyMap<string, Literal> } {
    if (!isQuotient(expression, policy.numbers))
      return { term: this.term(expression, policy), errors: this.errors(expression, policy) }
    const key = computationKey(expression, policy, true)
    let term = this.terms.get(key)
    if (term === undefined) {
      term = new Term(this.solver, expression, [...kindsByType(expression), 'error'], this.#order)
      this.terms.set(key, term)
      this.#link(term, expression, policy, true)
    }
    return { term, errors: this.#computationErrors.get(key) ?? NO_ERRORS }
  }

  /** The outcome on each kind of value, and on each stretch of numbers and texts between the test's constants. */
  #byCells(term: Term, test: Test, run: (value: Value | undefined) => string): Truth {
    const cells = new Map<string, Literal[]>()
    const note = (outcome: string, literal: Literal): void => {
      if (literal === FALSE) return
      if (outcome.includes(OR_ELSE)) {
        // Whether a computation is too large for an integer does not depend on the other side of the comparison.
        const isFirst = this.free(`${literal} ${canonicalText(test.operand)}`)
        const [first = '', second = ''] = outcome.split(OR_ELSE)
        this.finite.set(first === HOLDS || first === FAILS ? isFirst : negated(isFirst), test.operand)
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
    return truthOfCells(this.solver, cells)
  }

  #both(kind: Literal, part: { readonly literal: Literal }): Literal {
    return this.solver.and([kind, part.literal])
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
    const { term: left, errors: ofLeft } = this.#compared(node.left, policy)
    const { term: right, errors: ofRight } = this.#compared(node.right, policy)
    if (left === right) return undefined
    const compare = { ...node, left: hole(SIDES[0], node.left), right: hole(SIDES[1], node.right) }
    const cells = new Map<string, Literal[]>()
    const run = this.outcomes.truth(compare, policy, SIDES)
    const note = (first: Value, second: Value, literal: Literal): void => {
      if (literal === FALSE) return
      const found = run([first, second])
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
          const { less, equal } = this.pairs.of(left, right, leftKind)
          // The order of texts has the same outcomes as that of numbers.
          note(1, 2, this.solver.and([both, less]))
          note(1, 1, this.solver.and([both, equal]))
          note(2, 1, this.solver.and([both, negated(less), negated(equal)]))
        } else {
          const equal = this.pairs.sameness(left, right, leftKind)
          note(one, one, this.solver.and([both, equal]))
          note(one, leftKind === 'list' ? ['another'] : { another: 1 }, this.solver.and([both, negated(equal)]))
        }
      }
    }
    const truth = truthOfCells(this.solver, cells)
    const leftWorks = negated(this.solver.or([...ofLeft.values()]))
    const before = joinErrors(this.solver, ofLeft, ofRight, leftWorks)
    return { ...truth, errors: uniteErrors(this.solver, truth.errors, before) }
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
    this.allowed.set(term, values)
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
    if (isComputation(expression)) {
      this.term(expression, policy)
      return this.#computationErrors.get(computationKey(expression, policy)) ?? NO_ERRORS
    }
    if (isLogical(expression)) return this.truth(expression, policy).errors
    if (!canFail(expression, policy)) return NO_ERRORS
    const failing = failingArgument(expression, policy)
    if (failing !== undefined) return this.errors(failing, policy)
    const byKind = this.#errorsByKind(expression, policy)
    if (byKind !== undefined) return byKind
    return new Map([[UNKNOWN_ERROR, this.solver.createVariable()]])
  }

  /** The errors of a function of one field that fails by the kind of its value alone; undefined: it is another expression. */
  #errorsByKind(expression: Expression, policy: EvaluationPolicy): ReadonlyMap<string, Literal> | undefined {
    if (expression.kind !== 'call' || !FAILS_BY_KIND.has(expression.name)) return undefined
    const [field, ...rest] = expression.args
    if (!areConstants(rest) || field?.kind !== 'field' || !isPlain(field.path)) return undefined
    const run = inField(expression, policy, field)
    const errors = new Map<string, Literal[]>()
    for (const [kind, literal] of this.field(field).kinds) {
      const outcome = run(kind === 'missing' || kind === 'error' ? undefined : EXAMPLES[kind])
      if (outcome !== HOLDS && outcome !== FAILS) errors.set(outcome, [...(errors.get(outcome) ?? []), literal])
    }
    return new Map([...errors].map(([code, literals]) => [code, this.solver.or(literals)]))
  }

  readonly #computationErrors = new Map<string, ReadonlyMap<string, Literal>>()

  /** The kind of an arithmetic result for all kinds of its operands, by running it; intervals bound its size. */
  #link(term: Term, node: Computation, policy: EvaluationPolicy, isExact = false): void {
    const sources = operandsOfComputation(node)
    const operands = sources.map((source) => this.#operand(source, policy))
    const isDivision = node.kind === 'binary' && (node.operator === '/' || node.operator === '%')
    const canOverflow = !isExact && node.kind === 'binary' && node.operator !== '%' && term.kinds.has('number')
    const overflows = canOverflow ? this.solver.createVariable() : FALSE
    const zero = isDivision ? this.#isZero(operands[1]) : FALSE
    const whole = withHoles(node)
    const results = new Map<Kind, Literal[]>()
    const errors = new Map<string, Literal[]>()
    const add = <Key>(to: Map<Key, Literal[]>, key: Key, literal: Literal): void => {
      if (literal !== FALSE) to.set(key, [...(to.get(key) ?? []), literal])
    }
    const examples = operands.map((operand, index) => [...this.#examples(operand, defined(sources[index]), policy)])
    const values = examples.map((pairs) => pairs.map(([value]) => value))
    const literals = examples.map((pairs) => pairs.map(([, literal]) => literal))
    const partition = this.outcomes.partition(whole, policy, HOLES, values)
    for (const [{ error, kind }, all] of this.#outcomesOf(partition, literals).values()) {
      if (error !== undefined) add(errors, error, all)
      else if (kind === 'number') {
        add(results, 'number', this.solver.and([all, negated(zero), negated(overflows)]))
        add(errors, 'division-by-zero', this.solver.and([all, zero]))
        add(errors, 'not-finite', this.solver.and([all, negated(zero), overflows]))
      } else add(results, kind, all)
    }
    const own = new Map([...errors].map(([code, ways]) => [code, this.solver.or(ways)] as const))
    let before: ReadonlyMap<string, Literal> = NO_ERRORS
    let works: Literal = TRUE
    for (const source of sources) {
      const failures = this.errors(source, policy)
      before = joinErrors(this.solver, before, failures, works)
      works = this.solver.and([works, ...[...failures.values()].map(negated)])
    }
    const all = uniteErrors(this.solver, own, before)
    this.#computationErrors.set(computationKey(node, policy, isExact), all)
    this.#same(term.is('error'), this.solver.or([...all.values()]))
    for (const [kind, literal] of term.kinds)
      if (kind !== 'error') this.#same(literal, this.solver.or(results.get(kind) ?? []))
    const computation = { term, node, policy, operands, sources, isExact, overflows }
    this.arithmetic.push(computation)
    this.computedBy.set(term, computation)
    if (term.kinds.has('text')) this.opaque.set(term, { text: canonicalText(node), policy })
  }

  /** When a computation of these operands ends in an error or a value of a kind. */
  #outcomesOf(
    partition: Partition,
    literals: readonly (readonly Literal[])[],
    depth = 0,
  ): ReadonlyMap<string, readonly [Outcome, Literal]> {
    if ('outcome' in partition) {
      const { outcome } = partition
      return new Map([[`${outcome.error ?? ''} ${outcome.kind ?? ''}`, [outcome, TRUE]]])
    }
    const found = new Map<string, readonly [Outcome, Literal]>()
    for (const { positions, rest } of partition.groups) {
      const isOne = this.solver.or(positions.map((position) => defined(literals[depth]?.[position])))
      for (const [key, [outcome, literal]] of this.#outcomesOf(rest, literals, depth + 1)) {
        const before = found.get(key)?.[1] ?? FALSE
        found.set(key, [outcome, this.solver.or([before, this.solver.and([isOne, literal])])])
      }
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

function computationKey(node: Expression, policy: EvaluationPolicy, isExact = false): string {
  return `${isExact ? 'exact ' : ''}${keyOf(policy)} ${canonicalText(node)}`
}

/** Functions of one value, and perhaps constants, that fail for all values of a kind or for none. */
const FAILS_BY_KIND: ReadonlySet<string> = new Set([
  'char_at',
  'count',
  'len',
  'lower',
  'matches',
  'substring',
  'trim',
  'upper',
])

/** Functions of a list and a lambda that only fail if one of them does. */
const SAFE_WITH_LIST: ReadonlySet<string> = new Set(['all', 'any', 'filter', 'find', 'map', 'none'])

/** The argument of a function that fails exactly where that argument does; undefined: it is another expression. */
function failingArgument(expression: Expression, policy: EvaluationPolicy): Expression | undefined {
  if (expression.kind !== 'call') return undefined
  const [first, ...rest] = expression.args
  const [test] = rest
  const isCoalesce = expression.name === 'coalesce' && first?.kind === 'call' && areConstants(rest)
  const isSafe = test?.kind === 'lambda' && !canFail(test.body, policy)
  return isCoalesce || (isSafe && SAFE_WITH_LIST.has(expression.name) && isListTyped(first)) ? first : undefined
}

/** Whether a value that can be computed is a list. A variable that was not set is null, for which another value comes. */
function isListTyped(expression: Expression | undefined): boolean {
  if (expression === undefined) return false
  if (expression.kind !== 'call' || expression.name !== 'coalesce') return inferType(expression) === TYPE.array
  const set = expression.args.filter((one) => one.kind !== 'variable' || one.name.startsWith(FREE))
  return set.length > 0 && set.every(isListTyped)
}

const areConstants = (expressions: readonly Expression[]): boolean =>
  expressions.every((one) => constantOf(one) !== undefined)

/** Kinds that have one value. */
const SINGLE = ['missing', 'null', 'false', 'true', 'empty list', 'empty object'] as const

/** Whether an expression is the number of items or characters of one value. */
function isLength(expression: Expression): boolean {
  return (
    expression.kind === 'call' &&
    expression.args.length === 1 &&
    (expression.name === 'count' || expression.name === 'len')
  )
}

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

/** The placeholders of a comparison. */
const SIDES = ['left', 'right'] as const
