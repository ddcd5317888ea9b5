import { defined, type Expression, isObject, orderOf, printPath, type Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { leadsToAnswer } from './formula/answers.ts'
import { contractDomain } from './formula/contract-domain.ts'
import type { InputDomain } from './formula/domain.ts'
import { Encoder } from './formula/encoder.ts'
import { type Building, put } from './formula/evaluate.ts'
import { States } from './graph/states.ts'
import { SymbolicRuleset } from './graph/symbolic.ts'
import { type Answer, FALSE, type Literal, negated, Solver } from './search/solver.ts'
import { integerAbove, integerBelow, type NumberPoint } from './terms/order.ts'
import { type Kind, kindOf, sortedText, type Term } from './terms/term.ts'
import type { Verdict, Witness } from './verdict.ts'
import type { Callees } from './witness/callees.ts'
import { witnessOf } from './witness-of.ts'
import { Executor } from './witness/executor.ts'
import { type Candidate, Model } from './witness/model.ts'
import { furtherSearch } from './witness/further-search.ts'
import { played } from './witness/played.ts'

/** One field that has to be different. */
export interface Change {
  /** As the language writes it. */
  readonly path: string
  /** Undefined: the field is missing. */
  readonly from?: Value
  /** Undefined: the field has to be omitted. */
  readonly to?: Value
  readonly remove?: true
}

/** The smallest change of an input that leads to another result. */
export interface Counterfactual {
  readonly verdict: 'found' | 'impossible' | 'unknown'
  readonly changes: readonly Change[]
  readonly witness?: Witness
  /** Whether no change of fewer fields is enough. */
  readonly fewest: Verdict
  readonly reason?: string
}

export interface WhyNotOptions {
  /** The wanted result code. */
  readonly code: string
  /** Fields that may change. Default: all that the rules read. */
  readonly changeable?: readonly string[]
  readonly domain?: InputDomain
  /** Work, in assignments of the search. Default 20 million. */
  readonly budget?: number
  /** As in `AnalyzeOptions`. */
  readonly compiles?: boolean
  /** The rulesets that are called, by name, with those that they call. A claim that needs another one is unknown. */
  readonly callees?: Callees
}

const DEFAULT_BUDGET = 20_000_000
const MAX_STATES = 20_000
/** Fields that a change may have: more do not help. */
const MAX_CHANGES = 4
/** Sets of fields that are tried. */
const MAX_SETS = 3000
const MAX_TRIES = 14
/** Digits after the decimal point of a number next to a bound, the most readable first; then the value of the search. */
const DIGITS = [...Array.from({ length: 14 }, (_, index) => index + 2), undefined]
/** Searches for a nearer value. */
const MAX_NEARER = 8

/** The smallest change of changeable fields, fewest fields first, with which an input has the wished result code. */
export function whyNot(ruleset: Ruleset, input: Witness['input'], options: WhyNotOptions): Counterfactual {
  return new WhyNot(ruleset, input, options).answer()
}

class WhyNot {
  readonly #solver = new Solver()
  readonly #encoder: Encoder
  readonly #model: Model
  readonly #executor: Executor
  readonly #symbolic: SymbolicRuleset
  readonly #input: Witness['input']
  readonly #options: WhyNotOptions
  readonly #end: number

  constructor(ruleset: Ruleset, input: Witness['input'], options: WhyNotOptions) {
    this.#encoder = new Encoder(
      this.#solver,
      options.domain ?? contractDomain(ruleset),
      ruleset.config.numbers,
    ).requireFields()
    this.#model = new Model(this.#encoder, furtherSearch)
    this.#executor = new Executor(ruleset, { compiles: options.compiles, callees: options.callees })
    this.#symbolic = new SymbolicRuleset(this.#encoder, ruleset, furtherSearch)
    this.#input = input
    this.#options = options
    this.#end = options.budget ?? DEFAULT_BUDGET
  }

  answer(): Counterfactual {
    const unchanged = this.#givesCode(this.#input, {})
    if (unchanged !== undefined) return { verdict: 'found', changes: [], witness: unchanged, fewest: 'proved' }
    const goal = this.#reach(this.#options.code)
    if (goal === undefined) return unknown('the ruleset has too many states')
    const fields = [...this.#encoder.terms.values()].filter(isOfInput)
    const isOpen = (term: Term): boolean =>
      this.#options.changeable?.some((path) => isWithin(pathOf(term), path) || isWithin(path, pathOf(term))) ?? true
    const changeable = fields.filter(isOpen)
    // Fields that cannot change are pinned to their values; a computed value follows from its fields.
    const pins = new Map(fields.map((term) => [term, this.#pins(term)]))
    const fixed = fields.filter((term) => !changeable.includes(term)).flatMap((term) => pins.get(term) ?? [])
    if (this.#solve([...fixed, goal]) === 'unsatisfiable')
      return { verdict: 'impossible', changes: [], fewest: 'proved' }
    let isCertain = true
    let sets = 0
    // Other answers of services may be enough.
    for (let size = this.#executor.needsAnswers ? 0 : 1; size <= Math.min(MAX_CHANGES, changeable.length); size++) {
      for (const chosen of combinations(changeable, size)) {
        if (++sets > MAX_SETS || this.#solver.work > this.#end) return unknown('the search took longer than its budget')
        const kept = changeable.filter((term) => !chosen.includes(term)).flatMap((term) => pins.get(term) ?? [])
        const assumptions = [...fixed, ...kept, goal]
        const found = this.#solve(assumptions)
        if (found === 'unsatisfiable') continue
        const first = found === 'satisfiable' ? this.#nearest(chosen) : undefined
        if (first !== undefined) {
          const witness = this.#nearer(chosen, assumptions, first)
          return {
            verdict: 'found',
            changes: this.#changes(witness.input),
            witness,
            fewest: isCertain ? 'proved' : 'unknown',
          }
        }
        isCertain = false
      }
    }
    return unknown(
      isCertain ? `more than ${MAX_CHANGES} fields have to change` : 'no input was found that gives the code',
    )
  }

  /** The condition under which the ruleset ends in a code. Undefined: it has too many states. */
  #reach(code: string): Literal | undefined {
    const states = new States(this.#solver, this.#symbolic)
    states.add(this.#symbolic.ruleset.config.entryStep, new Map(), 1, 0)
    const ends: Literal[] = []
    let count = 0
    for (let state = states.next(); state !== undefined; state = states.next()) {
      const { variables, depth, reach } = state
      if (reach === FALSE || depth > this.#symbolic.ruleset.config.maxDepth) continue
      if (++count > MAX_STATES) return undefined
      const step = this.#symbolic.step(state.step)
      if (step.type === 'terminal') {
        if (step.code === code) ends.push(reach)
      } else if (step.type === 'action') {
        const effect = this.#symbolic.run(step.actions, step.id, variables, depth)
        states.add(step.nextStep, effect.variables, depth + 1, this.#solver.and([reach, effect.succeeds]))
      } else {
        let live = reach
        for (const branch of step.branches) {
          const truth = this.#symbolic.truth(branch, variables)
          const effect = this.#symbolic.run(branch.actions, step.id, variables, depth)
          const way = this.#solver.and([live, truth.holds, effect.succeeds])
          if (way !== FALSE) states.add(branch.nextStep, effect.variables, depth + 1, way)
          live = this.#solver.and([live, truth.fails])
        }
        if (step.defaultNext !== undefined && live !== FALSE) states.add(step.defaultNext, variables, depth + 1, live)
      }
    }
    return this.#solver.or(ends)
  }

  /** Whether assumptions can hold together, in arithmetic too. */
  #solve(assumptions: readonly Literal[]): Answer {
    this.#model.begin()
    return this.#solver.solve(assumptions, this.#end - this.#solver.work, () => this.#model.check())
  }

  /** Literals that hold a field at its value in the input. */
  #pins(term: Term): readonly Literal[] {
    const value = this.#valueOf(term)
    const kind: Kind = kindOf(value)
    const pins: Literal[] = [term.is(kind)]
    if (kind === 'number') pins.push(term.numbers.equals(value as NumberPoint))
    if (typeof value === 'string') pins.push(term.texts.equals(value))
    for (const { kinds, literal, holds } of term.features.values())
      if (kinds.includes(kind) && value !== undefined) pins.push(holds(value) ? literal : negated(literal))
    return pins
  }

  #valueOf(term: Term): Value | undefined {
    return term.field === undefined ? undefined : valueAt(this.#input, term.field)
  }

  /**
   * The same or a nearer change of one number: the search finds a part of the line without regard to its distance, so it is
   * repeated within the distance of the last part until there is none.
   */
  #nearer([term, ...others]: readonly Term[], assumptions: readonly Literal[], first: Witness): Witness {
    if (term?.field === undefined || others.length > 0) return first
    const from = this.#valueOf(term)
    let witness = first
    for (let round = 0; round < MAX_NEARER; round++) {
      const to = valueAt(witness.input, term.field)
      if (typeof from !== 'number' || typeof to !== 'number' || this.#solver.work > this.#end) break
      const within = nearerThan(from, to, term)
      const found = this.#solve([...assumptions, term.is('number'), ...within])
      const next = found === 'satisfiable' ? this.#nearest([term]) : undefined
      if (next === undefined || distanceOf(from, valueAt(next.input, term.field)) >= distanceOf(from, to)) break
      witness = next
    }
    return witness
  }

  /** The input with new values of the chosen fields, each as near to its old value as the part of its line allows. */
  #nearest(chosen: readonly Term[]): Witness | undefined {
    let best: { witness: Witness; distance: number } | undefined
    for (const candidate of this.#model.candidates(MAX_TRIES)) {
      let tried: string | undefined
      for (const digits of DIGITS) {
        const one = this.#withChosen(candidate, chosen, digits)
        const text = sortedText(one)
        // Only a decimal next to an open bound depends on the digits.
        if (text === tried) continue
        tried = text
        const witness = this.#givesCode(one, candidate.input)
        if (witness === undefined) continue
        const distance = chosen.reduce(
          (sum, term) => sum + distanceOf(this.#valueOf(term), term.field && valueAt(one, term.field)),
          0,
        )
        if (best === undefined || distance < best.distance) best = { witness, distance }
        break
      }
    }
    return best?.witness
  }

  /** @param digits those after the decimal point of a number next to a bound; undefined: takes the values of the candidate */
  #withChosen({ input }: Candidate, chosen: readonly Term[], digits: number | undefined): Witness['input'] {
    let changed: Value = this.#input
    for (const term of chosen) {
      if (term.field === undefined) continue
      let value = valueAt(input, term.field)
      const from = this.#valueOf(term)
      if (digits !== undefined && typeof value === 'number' && typeof from === 'number') {
        const { low, high, isLowOpen, isHighOpen } = term.numbers.bounds()
        const isInteger = this.#encoder.domain.get(pathOf(term))?.integer === true
        const how = { isInteger, digits }
        if (low !== undefined && orderOf(low, from) > 0) value = valueBeside(low, isLowOpen, 1, how)
        else if (high !== undefined && orderOf(high, from) < 0) value = valueBeside(high, isHighOpen, -1, how)
      }
      changed = withValue(changed, term.field, value)
    }
    return changed as Witness['input']
  }

  /** The execution of an input that has the code. @param wanted the input that the search found, with the answers of services */
  #givesCode(input: Witness['input'], wanted: Witness['input']): Witness | undefined {
    const { calls } = this.#encoder
    const answers = Array.from(calls.values()).flatMap(({ member }) =>
      Object.hasOwn(wanted, member) ? [[member, defined(wanted[member])] as const] : [],
    )
    const candidate = this.#executor.needsAnswers
      ? played({ input: { ...input, ...Object.fromEntries(answers) } }, calls)
      : { input }
    const { side } = this.#executor.follow(candidate)
    if (side === undefined || 'error' in side || side.code !== this.#options.code) return undefined
    return this.#executor.confirms(candidate, side) ? witnessOf(candidate) : undefined
  }

  #changes(input: Witness['input']): readonly Change[] {
    const changes: Change[] = []
    for (const term of this.#encoder.terms.values()) {
      if (term.field === undefined || !isOfInput(term)) continue
      const [from, to] = [valueAt(this.#input, term.field), valueAt(input, term.field)]
      if (from === to || (from !== undefined && to !== undefined && sortedText(from) === sortedText(to))) continue
      const before = from === undefined ? {} : { from }
      changes.push({ path: pathOf(term), ...before, ...(to === undefined ? { remove: true } : { to }) })
    }
    return changes
  }
}

function unknown(reason: string): Counterfactual {
  return { verdict: 'unknown', changes: [], fewest: 'unknown', reason }
}

/** That a number is nearer to another one than the part of the line in which a value is. */
function nearerThan(from: number, to: number, { numbers }: Term): readonly Literal[] {
  const isCut = numbers.cuts.some(({ at }) => at === to)
  const between = numbers.cuts.map(({ at }) => Number(at)).filter((at) => at > from === to > from)
  const inner = between.filter((at) => Math.abs(at - from) < Math.abs(to - from)).map((at) => Math.abs(at - from))
  const distance = isCut ? Math.abs(to - from) : Math.max(0, ...inner)
  const [low, high] = [from - distance, from + distance]
  return isCut
    ? [negated(numbers.atMost(low)), numbers.below(high)]
    : [negated(numbers.below(low)), numbers.atMost(high)]
}

/** A decimal with this number of digits after the point, on one side of a number. */
function beyond(edge: NumberPoint, direction: 1 | -1, digits: number): number {
  return Number((Number(edge) + direction * 10 ** -digits).toFixed(digits))
}

/** The first value of a part of the line above its lower bound, or below its upper one. */
function valueBeside(
  edge: NumberPoint,
  isOpen: boolean,
  direction: 1 | -1,
  { isInteger, digits }: { readonly isInteger: boolean; readonly digits: number },
): number {
  if (isInteger && (isOpen || !Number.isInteger(Number(edge))))
    return Number(direction > 0 ? integerAbove(edge) : integerBelow(edge))
  return isOpen ? beyond(edge, direction, digits) : Number(edge)
}

function isOfInput({ field }: Term): boolean {
  return field !== undefined && !leadsToAnswer(field.path)
}

function pathOf({ field }: Term): string {
  return field === undefined ? '' : printPath(field)
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)
}

function* combinations<One>(from: readonly One[], size: number, start = 0): Generator<readonly One[]> {
  if (size === 0) yield []
  else
    for (let index = start; index <= from.length - size; index++)
      for (const rest of combinations(from, size - 1, index + 1)) yield [defined(from[index]), ...rest]
}

type Field = Extract<Expression, { readonly kind: 'field' }>

function valueAt(input: Value, field: Field): Value | undefined {
  let place: Value | undefined = input
  for (const segment of field.path) {
    if (typeof place !== 'object' || place === null || segment.kind === 'wildcard') return undefined
    const key = segment.kind === 'name' ? segment.name : String(segment.index)
    place = Object.hasOwn(place, key) ? (place as { readonly [name: string]: Value })[key] : undefined
  }
  return place
}

/** The input with another value at a path; undefined: without it. */
function withValue(input: Value, field: Field, value: Value | undefined): Value {
  const copy = structuredCopy(input) as Building
  if (value !== undefined) {
    put(copy, field.path, value)
    return copy
  }
  const { path } = field
  const last = path.at(-1)
  const parent = valueAt(copy, { ...field, path: path.slice(0, -1) })
  if (last?.kind === 'name' && typeof parent === 'object' && parent !== null) delete (parent as Building)[last.name]
  return copy
}

function structuredCopy(value: Value): Value {
  if (Array.isArray(value)) return value.map(structuredCopy)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, structuredCopy(inner)]))
}

function distanceOf(from: Value | undefined, to: Value | undefined): number {
  if (typeof from !== 'number' || typeof to !== 'number') return 1
  const distance = Math.abs(from - to) / (1 + Math.abs(from))
  return distance / (1 + distance)
}
