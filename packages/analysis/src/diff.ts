import { constantOf, defined, NO_SPAN, print, printPath, quote, type Value } from '@engine/expression'
import { actionsOf, at, type Branch, evaluationPolicy, pointer, type Ruleset, type TerminalStep } from '@engine/ruleset'
import { ANY_INPUT, type InputDomain, isInDomain } from './formula/domain.ts'
import { acceptanceOf, hasKnownAcceptance, INVALID_INPUT } from './formula/contract-acceptance.ts'
import { contractDomain, contractText } from './formula/contract-domain.ts'
import { Encoder } from './formula/encoder.ts'
import { type Truth, UNKNOWN_ERROR } from './formula/truth.ts'
import { Digests, resultText, shapeText } from './graph/digest.ts'
import { Queue } from './graph/queue.ts'
import { NO_VARIABLES_SET, textOf, type Variables, variablesOf } from './graph/substitution.ts'
import { type Failure, SymbolicRuleset } from './graph/symbolic.ts'
import { Conditions } from './region/conditions.ts'
import { type Cover, Covers, type Cube } from './region/cover.ts'
import { FALSE, type Literal, negated, Solver, TRUE } from './search/solver.ts'
import { sortedText } from './terms/term.ts'
import type { Diff, Region, Verdict, Witness } from './verdict.ts'
import type { Callees } from './witness/callees.ts'
import { witnessOf } from './witness-of.ts'
import { answersText } from './witness-text.ts'
import { Executor, withoutStacks } from './witness/executor.ts'
import { furtherSearch } from './witness/further-search.ts'
import { Guesses } from './witness/guesses.ts'
import { type Candidate, Model } from './witness/model.ts'
import { isSameJson } from './witness/same-json.ts'
import { areSame, type Side } from './witness/trail.ts'

export interface DiffOptions {
  /** Which inputs there are. Default: any object. */
  readonly domain?: InputDomain
  /** Inputs to begin with, for example those of cases. */
  readonly seeds?: readonly Witness['input'][]
  /** Work that all questions together may take, in assignments of the search. Default 60 million, some ten seconds. */
  readonly budget?: number
  /** The rulesets that both versions call, by name, with those that they call. What another one decides is unknown. */
  readonly callees?: Callees
}

const DEFAULT_BUDGET = 60_000_000
const MAX_ASSIGNMENTS = 1_500_000
/** Pairs of positions that are looked at. */
const MAX_PAIRS = 60_000
const MAX_REGIONS = 400
/** Branches that are followed before it is examined whether any input is left. */
const BRANCHES_BETWEEN = 40
/** Conditions that are shown of a region that may have more. */
const MAX_CONDITIONS = 5
/** Assignments of the search that the condition of one region may take. */
const MAX_COVERING = 3_000_000
const MAX_TRIES = 14
const MAX_GUESSES = 3000
/** Steps that are followed in rulesets with loops. */
const MAX_ROUNDS = 200

/**
 * For which inputs two versions of a ruleset decide differently. Both are walked in step over the same input: equal
 * conditions advance together, and where everything behind both positions is the same the walk ends.
 */
export function diff(before: Ruleset, after: Ruleset, options: DiffOptions = {}): Diff {
  return new Comparison(before, after, options).result()
}

type Position =
  | {
      readonly kind: 'at'
      readonly step: string
      readonly branch: number
      readonly variables: Variables
      readonly depth: number
    }
  | { readonly kind: 'result'; readonly step: string; readonly variables: Variables }
  | { readonly kind: 'error'; readonly code: string; readonly step: string }

/** Any position: a claim about all inputs can be wrong there. */
const NOWHERE: Position = { kind: 'at', step: '', branch: 0, variables: new Map(), depth: 0 }

/** The next position of an execution, and its condition. */
interface Way {
  readonly literal: Literal
  readonly position: Position
}

/** Both versions under the same input. */
interface Pair {
  readonly positions: readonly [Position, Position]
  readonly ways: Literal[]
  /** Both went the same way so far. */
  isInStep: boolean
  /** A condition on which one of them has ended, if it is the same on all ways. */
  ended: Literal | undefined
}

/** A region that is being found. */
interface Found {
  readonly before: Side
  readonly after: Side
  readonly witness: Witness
  /** Inputs that were executed before the search, as conditions. */
  readonly seeds: Set<string>
}

/** Ends of both versions between which every input changes alike. */
interface Change {
  readonly ends: readonly [Position, Position]
  /** The results, if they are the same for all inputs. */
  readonly sides: readonly [Side, Side] | undefined
  readonly ways: Literal[]
  region: Found | undefined
}

/** A comparison that also answers questions about single transitions. */
export class Comparison {
  readonly #options: DiffOptions
  readonly #solver = new Solver()
  readonly #encoder: Encoder
  readonly #model: Model
  readonly #sides: readonly [Walker, Walker]
  readonly #executors: readonly [Executor, Executor]
  readonly #rulesets: readonly [Ruleset, Ruleset]
  readonly #end: number
  readonly #queue = new Queue<string>()
  readonly #pairs = new Map<string, Pair>()
  readonly #covers: Covers
  readonly #conditions: Conditions
  readonly #found: Found[] = []
  readonly #changes = new Map<string, Change>()
  /** Ends between which inputs may change or not. */
  readonly #undecided: Pick<Change, 'ends' | 'region'>[] = []
  readonly #open: { place: string; reason: string; sides: readonly [Position, Position] }[] = []
  readonly #isComparable: boolean
  readonly #hasSameContract: boolean
  readonly #domain: InputDomain
  #isTruncated = false
  #probes = { asked: 0, changed: 0 }

  constructor(before: Ruleset, after: Ruleset, options: DiffOptions) {
    this.#options = options
    this.#rulesets = [before, after]
    this.#hasSameContract = contractText(before) === contractText(after)
    this.#domain = options.domain ?? (this.#hasSameContract ? contractDomain(before) : ANY_INPUT)
    this.#encoder = new Encoder(this.#solver, this.#domain, before.config.numbers).requireFields()
    this.#model = new Model(this.#encoder, furtherSearch)
    const numbers = new Map<string, number>()
    const accepts = this.#hasSameContract ? () => TRUE : (one: Ruleset) => acceptanceOf(this.#encoder, one)
    this.#sides = [
      new Walker(this.#encoder, before, { numbers, label: 'before', accepts: accepts(before) }),
      new Walker(this.#encoder, after, { numbers, label: 'after', accepts: accepts(after) }),
    ]
    const { callees } = options
    this.#executors = [new Executor(before, { callees }), new Executor(after, { callees })]
    this.#end = options.budget ?? DEFAULT_BUDGET
    this.#isComparable = this.#sides[0].policyText === this.#sides[1].policyText
    this.#conditions = new Conditions(this.#encoder, this.#isComparable ? evaluationPolicy(before) : undefined)
    this.#covers = new Covers(this.#encoder, this.#model, (cube) => this.#conditions.isExact(cube))
  }

  result(): Diff {
    return withoutStacks(() => this.#result())
  }

  #result(): Diff {
    for (const input of this.#options.seeds ?? []) this.#try({ input }, conditionOf(input))
    this.#walk()
    this.#guess()
    const regions = this.#regions()
    const isOpen = this.#open.length > 0 || this.#isTruncated
    return {
      verdict: regions.length > 0 ? 'different' : isOpen ? 'unknown' : 'equivalent',
      regions,
      only_adds: this.#oneWay(
        ({ before }) => 'error' in before,
        ([before]) => before.kind === 'error',
      ),
      only_removes: this.#oneWay(
        ({ after }) => 'error' in after,
        ([, after]) => after.kind === 'error',
      ),
      no_new_failure: this.#oneWay(
        ({ before, after }) => 'error' in before || !('error' in after),
        ([before, after]) => before.kind === 'error' || after.kind !== 'error',
      ),
      unknown: this.#open.map(({ place, reason }) => ({ place, reason })),
      truncated: this.#isTruncated,
    }
  }

  #regions(): readonly Region[] {
    const changes = [...this.#changes.values()].filter(({ ways }) => ways.length > 0)
    const covered = changes.flatMap((change) => {
      const { region, sides, ends } = change
      if (region === undefined) return []
      const { cubes, isComplete } = this.#coverOf(this.#solver.or(change.ways))
      return [{ region, sides, ends, cubes, complete: isComplete && this.#isOnly(change, region, changes) }]
    })
    const byRegion = new Map(covered.map((one) => [one.region, one]))
    const computed = [...changes.filter(({ sides }) => sides === undefined), ...this.#undecided]
    return this.#found.flatMap((region): Region[] => {
      const { before, after, witness } = region
      const own = byRegion.get(region)
      // The same change with other computed values.
      const isShown = (one: Pick<Change, 'ends' | 'region'>) =>
        one.region !== undefined && one.region !== region && this.#endsIn(one.ends, [before, after])
      if (own === undefined && !computed.some((one) => one.region === region) && computed.some(isShown)) return []
      const complete = own?.complete === true
      return [{ condition: this.#conditionOf(region, own?.cubes ?? [], complete), complete, before, after, witness }]
    })
  }

  /** Whether nothing else can change the results of a region alike. */
  #isOnly({ ends, sides }: Change, { before, after }: Found, changes: readonly Change[]): boolean {
    if (this.#isTruncated || this.#open.some(({ sides: [first] }) => first === NOWHERE)) return false
    const others = changes.filter((one) => one.sides === undefined || sides === undefined)
    return ![...this.#undecided, ...others].some((one) => one.ends !== ends && this.#endsIn(one.ends, [before, after]))
  }

  #conditionOf({ witness, seeds }: Found, cubes: readonly Cube[], isComplete: boolean): string {
    const texts = cubes.map((cube) => this.#conditions.textOf(cube))
    if (isComplete) return texts.join(' || ')
    const inputs = texts.length + seeds.size === 0 ? [conditionOfWitness(witness)] : seeds
    return [...new Set([...texts, ...inputs])].slice(0, MAX_CONDITIONS).join(' || ')
  }

  #coverOf(reach: Literal): Cover {
    return this.#covers.of(reach, Math.min(MAX_COVERING, Math.max(0, this.#end - this.#solver.work)))
  }

  #endsIn(ends: readonly [Position, Position], sides: readonly [Side, Side]): boolean {
    return this.#sides.every((walker, index) => {
      const [end, side] = [ends[index], sides[index]]
      return end !== undefined && side !== undefined && walker.endsIn(end, side)
    })
  }

  /** Inputs near constants that were executed because the search left something open. */
  get probes(): { readonly asked: number; readonly changed: number } {
    return this.#probes
  }

  /** Whether no input whose code was `from` has the code `to` now; `*` is any code. After `result`. */
  forbids(from: string, to: string): { readonly verdict: Verdict; readonly witness?: Witness } {
    const isCode = (wanted: string, code: string | undefined): boolean =>
      code !== undefined && (wanted === '*' || wanted === code)
    const codeOf = (side: Side): string | undefined => ('error' in side ? undefined : side.code)
    const found = this.#found.find(({ before, after }) => {
      const [old, young] = [codeOf(before), codeOf(after)]
      return old !== young && isCode(from, old) && isCode(to, young)
    })
    if (found !== undefined) return { verdict: 'refuted', witness: found.witness }
    const isOpen = this.#open.some(({ sides: [before, after] }) => {
      if (before === NOWHERE) return true
      const [old, young] = [this.#sides[0].codeAt(before), this.#sides[1].codeAt(after)]
      return old !== young && isCode(from, old) && isCode(to, young)
    })
    return { verdict: isOpen || this.#isTruncated ? 'unknown' : 'proved' }
  }

  /** A claim about all differences: a region refutes it, a question that is open leaves it open unless it cannot matter. */
  #oneWay(holds: (region: Found) => boolean, cannotMatter: (sides: readonly [Position, Position]) => boolean): Verdict {
    if (this.#found.some((region) => !holds(region))) return 'refuted'
    return this.#isTruncated || this.#open.some(({ sides }) => sides.includes(NOWHERE) || !cannotMatter(sides))
      ? 'unknown'
      : 'proved'
  }

  #walk(): void {
    const [left, right] = this.#sides
    this.#addAll(left.start(), right.start(), [], true)
    const [before, after] = this.#rulesets
    const hasOtherNumbers = before.config.numbers !== after.config.numbers && this.#pairs.size > 0
    if (!this.#hasSameContract && ![before, after].every(hasKnownAcceptance))
      this.#open.push({
        place: pointer(at(at(undefined, 'config'), 'contract')),
        reason: 'the versions enforce different contracts, of which one has defaults',
        sides: [NOWHERE, NOWHERE],
      })
    if (hasOtherNumbers) {
      const reason = 'one version computes with doubles, the other with decimals'
      const place = pointer(at(at(undefined, 'config'), 'numbers'))
      this.#open.push({ place, reason, sides: [NOWHERE, NOWHERE] })
      return
    }
    let count = 0
    for (let key = this.#queue.next(); key !== undefined; key = this.#queue.next()) {
      const pair = this.#pairs.get(key)
      this.#pairs.delete(key)
      if (pair === undefined) continue
      if (++count > MAX_PAIRS || this.#solver.work > this.#end || this.#found.length >= MAX_REGIONS) {
        this.#isTruncated = true
        return
      }
      this.#advance(pair)
    }
  }

  #add(first: Position, second: Position, ways: readonly Literal[], isInStep: boolean, ended?: Literal): void {
    const way = this.#solver.and(ways)
    if (way === FALSE || this.#isSame(first, second)) return
    const [left, right] = this.#sides
    const key = `${left.textOf(first)}\n\n${right.textOf(second)}`
    const known = this.#pairs.get(key)
    if (known === undefined) {
      this.#pairs.set(key, { positions: [first, second], ways: [way], isInStep, ended })
      this.#queue.add(left.rankOf(first) + right.rankOf(second), key)
    } else {
      known.ways.push(way)
      known.isInStep &&= isInStep
      if (known.ended !== ended) known.ended = undefined
    }
  }

  /** Whether nothing behind two positions can differ. */
  #isSame(first: Position, second: Position): boolean {
    const [left, right] = this.#sides
    if (first.kind === 'error' && second.kind === 'error')
      return first.code === second.code && first.code !== UNKNOWN_ERROR
    if (first.kind === 'result' && second.kind === 'result') {
      const [one, other] = [left.resultOf(first), right.resultOf(second)]
      return one.text === other.text && (one.isConstant || (this.#isComparable && one.values === other.values))
    }
    if (first.kind !== 'at' || second.kind !== 'at' || !this.#isComparable) return false
    const [one, other] = [left.digestOf(first), right.digestOf(second)]
    return one !== undefined && one === other && textOf(first.variables) === textOf(second.variables)
  }

  #advance({ positions: [first, second], ways, isInStep, ended }: Pair): void {
    const reach = this.#solver.or(ways)
    if (first.kind !== 'at' && second.kind !== 'at') return this.#judge(first, second, reach)
    if (!isInStep && isExamined(first, second) && !this.#isPossible([reach])) return
    const [left, right] = this.#sides
    const here = first.kind === 'at' ? left.truthAt(first) : undefined
    const there = second.kind === 'at' ? right.truthAt(second) : undefined
    if (
      first.kind === 'at' &&
      second.kind === 'at' &&
      here !== undefined &&
      there !== undefined &&
      areEqual(here, there)
    ) {
      // The same condition: it fails for both with the same error.
      this.#addAll(left.taken(first), right.taken(second), [reach, here.holds], isInStep)
      this.#add(passed(first), passed(second), [reach, here.fails], isInStep)
      return
    }
    if (first.kind === 'at' && second.kind === 'at' && here === undefined && there === undefined)
      return this.#addAll(left.onward(first), right.onward(second), [reach], isInStep)
    const isLeft = second.kind !== 'at' || (first.kind === 'at' && this.#leads(first, second, here, there))
    // A new formula makes the solver propagate the end of the other version again.
    if (isLeft && first.kind === 'at') left.encode(first)
    else if (second.kind === 'at') right.encode(second)
    const onward = isLeft && first.kind === 'at' ? left.onward(first) : second.kind === 'at' ? right.onward(second) : []
    for (const { literal, position } of this.#possible(onward, ended)) {
      const [one, other] = isLeft ? [position, second] : [first, position]
      this.#add(one, other, [reach, literal], false, position.kind === 'at' ? ended : literal)
    }
  }

  /**
   * The ways that do not exclude at first sight the condition on which the other version has ended, as most rows of a table
   * do. A way that is left alone has no condition.
   */
  #possible(ways: readonly Way[], ended: Literal | undefined): readonly Way[] {
    if (ended === undefined) return ways
    const possible = ways.filter(
      ({ literal, position }, index) =>
        (index === ways.length - 1 && position.kind === 'at') || !this.#solver.areContradictory([ended, literal]),
    )
    return possible.length === 1 ? possible.map((way) => ({ ...way, literal: TRUE })) : possible
  }

  /** Every way of one version with every way of the other. */
  #addAll(left: readonly Way[], right: readonly Way[], before: readonly Literal[], isInStep: boolean): void {
    for (const one of left) {
      for (const other of right) {
        const bothFail = one.position.kind === 'error' && other.position.kind === 'error'
        // The same expression fails: its error is the same, whichever it is.
        if (bothFail && one.literal === other.literal && one.position.code === other.position.code) continue
        this.#add(one.position, other.position, [...before, one.literal, other.literal], isInStep)
      }
    }
  }

  /** Which side goes first where conditions differ: the one whose condition the other side does not have. */
  #leads(first: At, second: At, here: Truth | undefined, there: Truth | undefined): boolean {
    const [left, right] = this.#sides
    if (here === undefined || there === undefined) return here === undefined
    const isLater = right.hasLater(second, left.conditionOf(first))
    const hasLater = left.hasLater(first, right.conditionOf(second))
    if (isLater !== hasLater) return hasLater
    return left.remaining(first) >= right.remaining(second)
  }

  #judge(first: Position, second: Position, reach: Literal): void {
    const change = this.#changeOf(first, second)
    if (change?.region !== undefined) {
      change.ways.push(reach)
      return
    }
    this.#model.begin()
    const answer = this.#solver.solve([reach], this.#allowance, () => this.#model.check())
    if (answer === 'unsatisfiable') return
    change?.ways.push(reach)
    const ends = change ?? { ends: [first, second], region: undefined }
    if (change === undefined) this.#undecided.push(ends)
    const place = first.kind === 'error' || first.kind === 'result' ? first.step : ''
    const open = (reason: string): void => {
      this.#open.push({ place: pointer(at(at(undefined, 'steps'), place)), reason, sides: [first, second] })
    }
    if (answer === 'budget') return open('the search took longer than its budget')
    for (const candidate of this.#model.candidates(MAX_TRIES)) {
      const found = this.#try(candidate)
      if (found === undefined) continue
      const { before, after } = found
      const isMeant = change?.sides?.every((side, index) => areSame(side, index === 0 ? before : after))
      // An input may differ in another way than the one in question.
      if (!(isMeant ?? this.#endsIn([first, second], [before, after]))) continue
      ends.region = found
      return
    }
    const isCut = this.#rulesets.some(callsRulesets)
    open(
      isCut
        ? 'an execution that leads there calls something outside the ruleset'
        : `no input was found that shows ${shown(first)} and then ${shown(second)}: ${this.#notModelled([reach])}`,
    )
  }

  /** The change between two ends; undefined: the results may be equal. */
  #changeOf(first: Position, second: Position): Change | undefined {
    const [before, after] = [this.#sides[0].endOf(first), this.#sides[1].endOf(second)]
    if (before === undefined || after === undefined || !areApart(before, after)) return undefined
    const sides =
      before.side !== undefined && after.side !== undefined ? ([before.side, after.side] as const) : undefined
    const key = sides === undefined ? `${before.code} ${after.code}` : sides.map(textOfSide).join('\n')
    const known = this.#changes.get(key)
    if (known !== undefined) return known
    const region = sides && this.#foundWith(sides)
    const change: Change = { ends: [first, second], sides, ways: [], region }
    this.#changes.set(key, change)
    return change
  }

  #notModelled(assumptions: readonly Literal[]): string {
    const read = new Set(this.#solver.justification(assumptions).map((literal) => literal >> 1))
    for (const [term, { text }] of this.#encoder.opaque)
      if ([...term.kinds.values()].some((literal) => read.has(literal >> 1)))
        return `the value of ${quote(text)} is not modelled`
    return 'the values of both may be equal'
  }

  /** Executes both versions, and notes how they differ; undefined: they do not. */
  #try(given: Candidate, condition?: string): Found | undefined {
    if (!isInDomain(this.#encoder.domain, given.input)) return undefined
    // Both versions get the same answers.
    const needsAnswers = this.#executors.some((executor) => executor.needsAnswers)
    const candidate = needsAnswers ? furtherSearch.played(given, this.#encoder.calls) : given
    const [before, after] = this.#executors.map((executor) =>
      executor.refuses(candidate) ? REFUSED : executor.follow(candidate).side,
    )
    if (before === undefined || after === undefined || areSame(before, after)) return undefined
    let found = this.#foundWith([before, after])
    if (found === undefined) {
      if (![before, after].every((side, index) => this.#executors[index]?.confirms(candidate, side))) return undefined
      found = { before, after, witness: witnessOf(candidate), seeds: new Set() }
      this.#found.push(found)
    }
    if (condition !== undefined) found.seeds.add(condition)
    return found
  }

  #foundWith([before, after]: readonly [Side, Side]): Found | undefined {
    return this.#found.find((region) => areSame(region.before, before) && areSame(region.after, after))
  }

  /** Executes inputs near constants when the search left a question open. */
  #guess(): void {
    if (this.#open.length === 0 || this.#found.length > 0) return
    const guesses = new Guesses(this.#rulesets)
    const pool = [...(this.#options.seeds ?? [])]
    for (let count = 0; count < MAX_GUESSES; count++) {
      const input = guesses.next(pool)
      if (pool.length < 200) pool.push(input)
      this.#probes.asked++
      if (this.#try({ input }, conditionOf(input)) === undefined) continue
      this.#probes.changed++
      return
    }
  }

  #isPossible(assumptions: readonly Literal[]): boolean {
    this.#model.begin()
    return this.#solver.solve(assumptions, this.#allowance, () => this.#model.check()) !== 'unsatisfiable'
  }

  get #allowance(): number {
    return Math.min(MAX_ASSIGNMENTS, Math.max(0, this.#end - this.#solver.work))
  }
}

type At = Position & { readonly kind: 'at' }

/** One version on the walk. */
class Walker {
  readonly policyText: string
  readonly #symbolic: SymbolicRuleset
  readonly #encoder: Encoder
  readonly #digests: Digests | undefined
  readonly #last = new Map<string, ReadonlyMap<string, number>>()
  readonly #printed = new WeakMap<object, string>()
  readonly #encoded = new Set<Branch>()
  readonly #width: number
  /** When the ruleset decides an input at all. */
  readonly #accepts: Literal

  constructor(
    encoder: Encoder,
    ruleset: Ruleset,
    {
      numbers,
      label,
      accepts,
    }: { readonly numbers: Map<string, number>; readonly label: string; readonly accepts: Literal },
  ) {
    this.#accepts = accepts
    this.#encoder = encoder
    this.#symbolic = new SymbolicRuleset(encoder, ruleset, furtherSearch, label)
    this.policyText = encoder.policyText(this.#symbolic.policy)
    const { ranks } = this.#symbolic
    this.#digests = ranks === undefined ? undefined : new Digests(ruleset, numbers, ranks.keys())
    this.#width =
      2 +
      Math.max(0, ...[...ruleset.steps.values()].map((step) => (step.type === 'decision' ? step.branches.length : 0)))
  }

  start(): readonly Way[] {
    const refused = {
      literal: negated(this.#accepts),
      position: { kind: 'error', code: INVALID_INPUT, step: '' },
    } as const
    return [refused, ...this.#settled(this.#symbolic.ruleset.config.entryStep, new Map(), 1, this.#accepts)]
  }

  /** The condition of the next branch; undefined behind the last. */
  truthAt({ step, branch, variables }: At): Truth | undefined {
    const next = this.#decision(step).branches[branch]
    return next === undefined ? undefined : this.#symbolic.truth(next, variables)
  }

  /** Makes the formulas of the next conditions of a decision that read no variables. */
  encode({ step, branch }: At): void {
    const { branches } = this.#decision(step)
    for (let index = branch; index < Math.min(branch + BRANCHES_BETWEEN, branches.length); index++) {
      const next = defined(branches[index])
      if (this.#encoded.has(next)) return
      this.#encoded.add(next)
      if (variablesOf(next.condition).size === 0) this.#symbolic.truth(next, NO_VARIABLES_SET)
    }
  }

  /** The ways onward after the next branch is taken. */
  taken({ step, branch, variables, depth }: At): readonly Way[] {
    const next = this.#decision(step).branches[branch]
    if (next === undefined) return []
    const effect = this.#symbolic.run(next.actions, step, variables, depth)
    return [
      ...failed(effect.failures, step),
      ...this.#settled(next.nextStep, effect.variables, depth + 1, effect.succeeds),
    ]
  }

  /** All that can come next: the branch is taken, passed, or fails. */
  onward(position: At): readonly Way[] {
    const { step, variables, depth } = position
    const truth = this.truthAt(position)
    if (truth === undefined) {
      const { defaultNext } = this.#decision(step)
      if (defaultNext !== undefined) return this.#settled(defaultNext, variables, depth + 1, TRUE)
      return [{ literal: TRUE, position: { kind: 'error', code: 'no-branch', step } }]
    }
    const taken = this.taken(position).map(({ literal, position: next }) => ({
      literal: this.#encoder.solver.and([truth.holds, literal]),
      position: next,
    }))
    const failures = [...truth.errors].map(([code, literal]) => ({ code, literal }))
    return [...taken, ...failed(failures, step), { literal: truth.fails, position: passed(position) }]
  }

  /** A number that grows along every way. */
  rankOf(position: Position): number {
    if (position.kind !== 'at') return this.#width * (this.#symbolic.ruleset.steps.size + MAX_ROUNDS + 2)
    const { ranks } = this.#symbolic
    const rank = ranks === undefined ? position.depth : (ranks.get(position.step) ?? 0)
    return rank * this.#width + position.branch
  }

  textOf(position: Position): string {
    if (position.kind === 'error') return `error ${position.code} ${position.step}`
    const text = `${position.kind} ${position.step}\n${textOf(position.variables)}`
    if (position.kind === 'result') return text
    return `${text}\n${position.branch} ${this.#symbolic.ranks === undefined ? position.depth : ''}`
  }

  digestOf({ step, branch }: At): number | undefined {
    return this.#digests?.from(step, branch)
  }

  resultOf({ step, variables }: Position & { readonly kind: 'result' }): {
    text: string
    values: string
    isConstant: boolean
  } {
    const terminal = this.#symbolic.step(step) as TerminalStep
    const values = this.#symbolic.result(terminal, variables)
    const text = values.length === 0 ? resultText(terminal) : shapeText(terminal)
    return { text, values: values.map(print).join('\n'), isConstant: values.length === 0 }
  }

  /** The known part of the result at a position; undefined: not even the error is known. */
  endOf(position: Position): End | undefined {
    if (position.kind === 'error') {
      const { code, step } = position
      return code === UNKNOWN_ERROR ? undefined : { code: `error ${code}`, side: { error: { code, step } } }
    }
    if (position.kind !== 'result') return undefined
    const step = this.#symbolic.step(position.step)
    if (step.type !== 'terminal') return undefined
    const { code, message } = step
    const output = new Map<string, Value | undefined>()
    for (const [name, value] of this.#symbolic.outputs(step, position.variables)) output.set(name, constantOf(value))
    if (message.kind !== 'text') return { code, output }
    const constants = [...output].flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    if (constants.length < output.size) return { code, output, message: message.text }
    return {
      code,
      output,
      message: message.text,
      side: { code, message: message.text, output: Object.fromEntries(constants) },
    }
  }

  /** The result code of a position. */
  codeAt(position: Position): string | undefined {
    if (position.kind !== 'result') return undefined
    const step = this.#symbolic.step(position.step)
    return step.type === 'terminal' ? step.code : undefined
  }

  /** Whether an execution ended where a position is. */
  endsIn(position: Position, side: Side): boolean {
    if (position.kind === 'at') return false
    if (position.kind === 'error')
      return 'error' in side && (position.code === UNKNOWN_ERROR || side.error.code === position.code)
    const step = this.#symbolic.step(position.step)
    return !('error' in side) && step.type === 'terminal' && step.code === side.code
  }

  conditionOf({ step, branch }: At): string {
    const next = this.#decision(step).branches[branch]
    if (next === undefined) return ''
    const known = this.#printed.get(next) ?? print(next.condition)
    this.#printed.set(next, known)
    return known
  }

  /** Whether a decision has a condition at this position or later. */
  hasLater(position: At, condition: string): boolean {
    const { step, branch } = position
    let last = this.#last.get(step)
    if (last === undefined) {
      last = new Map(
        this.#decision(step).branches.map((_one, index) => [this.conditionOf({ ...position, branch: index }), index]),
      )
      this.#last.set(step, last)
    }
    return (last.get(condition) ?? -1) >= branch
  }

  remaining({ step, branch }: At): number {
    return this.#decision(step).branches.length - branch
  }

  #decision(id: string) {
    const step = this.#symbolic.step(id)
    if (step.type !== 'decision') throw new Error(`step ${id} is no decision`)
    return step
  }

  /** Where entering a step leads: to a decision, a result or an error. */
  #settled(id: string, given: Variables, entered: number, start: Literal): readonly Way[] {
    const ways: Way[] = []
    const { solver } = this.#encoder
    let literal = start
    let variables = given
    let step = this.#symbolic.step(id)
    for (let depth = entered; ; depth++) {
      if (literal === FALSE) return ways
      const limit = this.#symbolic.ruleset.config.maxDepth
      if (this.#symbolic.ranks === undefined && (depth > limit || depth > MAX_ROUNDS)) {
        const code = depth > limit ? 'max-depth' : UNKNOWN_ERROR
        return [...ways, { literal, position: { kind: 'error', code, step: step.id } }]
      }
      const entering = this.#symbolic.entering(step.id, variables, depth)
      if (step.type === 'decision')
        return [...ways, { literal, position: { kind: 'at', step: step.id, branch: 0, variables: entering, depth } }]
      if (step.type === 'terminal') {
        for (const value of this.#symbolic.result(step, entering)) {
          const errors = this.#encoder.errors(value, this.#symbolic.policy)
          const failures = [...errors].map(([code, error]) => ({ code, literal: error }))
          for (const way of failed(failures, step.id))
            ways.push({ ...way, literal: solver.and([literal, way.literal]) })
          literal = solver.and([literal, ...[...errors.values()].map(negated)])
        }
        return [...ways, { literal, position: { kind: 'result', step: step.id, variables: entering } }]
      }
      const effect = this.#symbolic.run(step.actions, step.id, entering, depth)
      for (const way of failed(effect.failures, step.id))
        ways.push({ ...way, literal: solver.and([literal, way.literal]) })
      literal = solver.and([literal, effect.succeeds])
      variables = effect.variables
      step = this.#symbolic.step(step.nextStep)
    }
  }
}

/** The known part of a result before an execution. */
interface End {
  /** The result code, or the code of the error. */
  readonly code: string
  /** Undefined: it depends on the input. */
  readonly message?: string
  /** The outputs by name; undefined: the value depends on the input. */
  readonly output?: ReadonlyMap<string, Value | undefined>
  /** The result, if it is the same for all inputs. */
  readonly side?: Side
}

/** Whether two results differ whatever they compute. */
function areApart(one: End, other: End): boolean {
  if (one.code !== other.code) return true
  if (one.output === undefined || other.output === undefined) return false
  if (one.message !== undefined && other.message !== undefined && one.message !== other.message) return true
  if (one.output.size !== other.output.size) return true
  const { output } = other
  return [...one.output].some(([name, value]) => {
    const second = output.get(name)
    return !output.has(name) || (value !== undefined && second !== undefined && !isSameJson(value, second))
  })
}

/** A text that is equal for the same results. */
function textOfSide(side: Side): string {
  return 'error' in side ? `error ${side.error.code}` : sortedText([side.code, side.message, side.output])
}

/** The result of an input that the contract of a version refuses. */
const REFUSED: Side = { error: { code: INVALID_INPUT, step: '' } }

/** Whether a pair is looked at before it is followed: along the branches of one decision, now and then. */
function isExamined(first: Position, second: Position): boolean {
  const branch = (first.kind === 'at' ? first.branch : 0) + (second.kind === 'at' ? second.branch : 0)
  return branch % BRANCHES_BETWEEN === 0
}

function passed(position: At): At {
  return { ...position, branch: position.branch + 1 }
}

function failed(failures: readonly Failure[], step: string): readonly Way[] {
  return failures.map(({ code, literal }) => ({ literal, position: { kind: 'error', code, step } }))
}

/** Whether two conditions are the same gates. */
function areEqual(one: Truth, other: Truth): boolean {
  return (
    one.holds === other.holds &&
    one.fails === other.fails &&
    one.errors.size === other.errors.size &&
    [...one.errors].every(([code, literal]) => other.errors.get(code) === literal)
  )
}

/** Whether answers of other rulesets are part of the decision: proofs do not know them. */
function callsRulesets({ steps }: Ruleset): boolean {
  return [...steps.values()].some((step) => actionsOf(step).some(({ action }) => action === 'call_ruleset'))
}

/** One input as a condition. Answers of external calls follow it as plain text, which does not parse. */
function conditionOfWitness({ input, stubs = [] }: Witness): string {
  return stubs.length === 0 ? conditionOf(input) : `${conditionOf(input)} where ${answersText(stubs)}`
}

/** One input as a condition. */
function conditionOf(input: Witness['input']): string {
  const members = Object.entries(input).map(([name, value]) => {
    const path = printPath({ kind: 'field', path: [{ kind: 'name', name }], span: NO_SPAN })
    return `${path} == ${print({ kind: 'literal', value, span: NO_SPAN })}`
  })
  return members.length === 0 ? '$ == {}' : members.join(' && ')
}

function shown(position: Position): string {
  return position.kind === 'error' ? `the error ${quote(position.code)}` : `the result of step ${quote(position.step)}`
}
