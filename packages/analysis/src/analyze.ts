import { constantOf, defined, print, quote, stringifyJson } from '@engine/expression'
import {
  type ActionStep,
  type DecisionStep,
  endlessLoops,
  type Ruleset,
  stepGraph,
  type TerminalStep,
} from '@engine/ruleset'
import { contractDomain } from './formula/contract-domain.ts'
import type { InputDomain } from './formula/domain.ts'
import { Encoder } from './formula/encoder.ts'
import { evaluate, HOLDS, truthOf } from './formula/evaluate.ts'
import { type Truth, UNKNOWN_ERROR } from './formula/truth.ts'
import { type State, States } from './graph/states.ts'
import type { Variables } from './graph/substitution.ts'
import { type Failure, SymbolicRuleset, type UniqueEffect } from './graph/symbolic.ts'
import { type OutputContract, OutputContracts } from './output-contract.ts'
import { placeOf } from './place.ts'
import { Question, type ShownInput } from './question.ts'
import { FALSE, type Literal, Solver, TRUE } from './search/solver.ts'
import { type Kind, kindOf, KINDS } from './terms/term.ts'
import type { Finding, Questions, Report, Severity, Witness } from './verdict.ts'
import { failingInputs, inputOfConjuncts } from './witness/conjunct-input.ts'
import { LocalSearch, overlaid } from './witness/local-search.ts'
import { claims, parts, type ResultWatch } from './witness/trail.ts'
import type { Callees } from './witness/callees.ts'
import { Executor, withoutStacks } from './witness/executor.ts'
import { type FurtherSearch, furtherSearch } from './witness/further-search.ts'
import type { Candidate } from './witness/model.ts'

export interface AnalyzeOptions {
  /** Which inputs there are. Default: any object. */
  readonly domain?: InputDomain
  /** The outputs that results have to have, by their code; a code that is not among them violates the contract. */
  readonly outputs?: readonly OutputContract[]
  /** Inputs to begin with, for example those of cases. */
  readonly seeds?: readonly Witness['input'][]
  /** Work that all questions together may take, in assignments of the search. Default 60 million, some ten seconds. */
  readonly budget?: number
  /**
   * Whether witnesses are executed by the compiled program too. Default true; false where a policy forbids generated code, as
   * `script-src 'self'` of a page does.
   */
  readonly compiles?: boolean
  /** The rulesets that are called, by name, with those that they call. A claim that needs another one is unknown. */
  readonly callees?: Callees
  /**
   * Finds inputs for wanted results of functions and computations, so that fewer claims are unknown. Default: `furtherSearch`; in a session
   * none, so that a page can load it when a claim is unknown.
   */
  readonly further?: FurtherSearch | undefined
  /** Ids of decisions that are tables of which the first matching row counts: their rows are compared with each other. */
  readonly firstMatch?: ReadonlySet<string>
}

const DEFAULT_BUDGET = 60_000_000

/** States that are looked at: enough for each step of a large ruleset with some variables. */
const MAX_STATES = 40_000
/** Inputs tried for claims that the search could not settle. */
const MAX_GUESSES = 4000
/** Times a loop is followed. */
const MAX_ROUNDS = 200
/** Errors in a row that no local search shows; then the search over all rows handles the rest, until it finds one. */
const MAX_MISSES = 8
/** Rows of a table of which the first matching one counts that are compared with all before them. */
const MAX_COMPARED = 100
/** Earlier branches among which the smallest set is searched. */
const MAX_MINIMIZED = 40

/** The result of a row of a table: where it leads, and the variables that it sets. */
const resultText = ({ nextStep, actions }: DecisionStep['branches'][number]): string =>
  stringifyJson([
    nextStep,
    ...actions.map((one) => (one.action === 'set_variable' ? `${one.name} = ${print(one.value)}` : one.action)),
  ])

/**
 * All possible problems of a ruleset: each claim is proved, refuted by a witness, or unknown.
 *
 * Where formulas are easy, time grows with the branches of a table or graph, and with the steps that read the fields in which the
 * witness of a branch differs from others. A witness that a finding shows is executed from the first step, by the engine's program.
 * Each question may take 1.5 million assignments, and all together `budget`.
 */
export function analyze(ruleset: Ruleset, options: AnalyzeOptions = {}): Report {
  return new Analysis(ruleset, { further: furtherSearch, ...options }).report()
}

/** The state of one claim. */
interface Known {
  /** Why it is unknown; undefined: it is proved in all states so far, unless it was observed. */
  reason: string | undefined
  by: Set<number>
  isContradictory: boolean
}

/** Rows that match together. */
interface Overlap {
  readonly place: string
  readonly by: readonly string[]
  /** Whether at most one row may match; else the first one counts. */
  readonly isUnique: boolean
}

/** Knowledge from the version before, over the same domain. */
export interface Memory {
  readonly encoder: Encoder
  /** Inputs whose execution is the same. */
  readonly recalled: readonly ShownInput[]
  /** Inputs to execute again. */
  readonly again: readonly Candidate[]
}

/** By claim: assumptions that cannot hold together. They stay impossible while the formulas are the same. */
export type Proofs = Map<string, readonly Literal[]>

/** The analysis of one ruleset: its report, and the inputs that showed something. */
export class Analysis {
  readonly #ruleset: Ruleset
  readonly #options: AnalyzeOptions
  readonly #memory: Memory | undefined
  readonly #proofs: Proofs | undefined
  readonly #solver: Solver
  readonly #domain: InputDomain
  readonly #encoder: Encoder
  readonly #symbolic: SymbolicRuleset
  readonly #question: Question
  readonly #known = new Map<string, Known>()
  /** By decision: the first branch that takes all inputs in each state. Infinity: some input may pass all branches, or the default has no finding. */
  readonly #ends = new Map<string, number>()
  readonly #failures = new Map<string, { place: string; code: string; at: string }>()
  readonly #entered = new Set<string>()
  readonly #outputs: OutputContracts | undefined
  readonly #overlaps = new Map<string, Overlap>()
  /** Comparisons of rows, which come last: they only inform. */
  readonly #comparisons: (() => void)[] = []
  #isTruncated = false
  /** Errors in a row that no local search showed. */
  #misses = 0

  /** @param proofs kept for the next version; undefined: there is none */
  constructor(ruleset: Ruleset, options: AnalyzeOptions, memory?: Memory, proofs?: Proofs) {
    this.#ruleset = ruleset
    this.#proofs = proofs
    this.#options = options
    this.#memory = memory
    this.#domain = options.domain ?? contractDomain(ruleset)
    this.#encoder = memory?.encoder ?? new Encoder(new Solver(), this.#domain, ruleset.config.numbers).requireFields()
    this.#solver = this.#encoder.solver
    this.#symbolic = new SymbolicRuleset(this.#encoder, ruleset, options.further)
    const outputs = options.outputs && new OutputContracts(options.outputs)
    this.#outputs = outputs
    const shownByResult: ResultWatch | undefined = outputs && ((step, output) => outputs.shownBy(step, output))
    const { compiles, callees } = options
    const executor = new Executor(ruleset, { shownByResult, compiles, callees })
    this.#question = new Question(this.#encoder, [executor], options.budget ?? DEFAULT_BUDGET, options.further)
  }

  /** Inputs that were the first to show something, with the answers of external calls. */
  shown(): readonly Candidate[] {
    return this.#question.shown()
  }

  /** The first input that showed a claim. */
  shownBy(key: string): Witness | undefined {
    return this.#question.shownAs(key)
  }

  /** The formulas, and the inputs that showed something, for the next version. */
  memory(): { readonly encoder: Encoder; readonly inputs: readonly ShownInput[] } {
    return { encoder: this.#encoder, inputs: this.#question.inputs() }
  }

  report(): Report {
    return withoutStacks(() => this.#reported())
  }

  #reported(): Report {
    for (const one of this.#memory?.recalled ?? []) this.#question.recall(one)
    for (const candidate of this.#memory?.again ?? []) this.#question.follow(candidate)
    for (const input of this.#options.seeds ?? []) this.#question.follow({ input })
    this.#explore()
    this.#guess()
    for (const compare of this.#comparisons) compare()
    const findings: Finding[] = []
    const questions = { proved: 0, refuted: 0, unknown: 0 }
    this.#judgeSteps(findings, questions)
    this.#judgeOverlaps(findings, questions)
    this.#judgeFailures(findings, questions)
    this.#judgeDepth(findings, questions)
    return {
      ruleset: this.#ruleset.config.name,
      domain: this.#domain.size === 0 ? 'any' : 'contract',
      findings,
      questions,
      truncated: this.#isTruncated,
    }
  }

  /** Tries inputs near known ones for claims that the search could not settle. */
  #guess(): void {
    const open = [...this.#known].flatMap(([key, { reason }]) => (reason === undefined ? [] : [key]))
    const guesses = this.#options.further?.guesses([this.#ruleset])
    if (open.length > 0 && guesses !== undefined)
      this.#question.guess(guesses, open, Math.min(MAX_GUESSES, 400 + 100 * open.length))
  }

  #explore(): void {
    const states = new States(this.#solver, this.#symbolic)
    const { config } = this.#ruleset
    states.add(config.entryStep, new Map(), 1, 0)
    let count = 0
    for (let state = states.next(); state !== undefined; state = states.next()) {
      if (++count > MAX_STATES || this.#question.isOver) {
        this.#isTruncated = true
        return
      }
      if (this.#symbolic.ranks === undefined && !this.#goesOn(state)) continue
      this.#enter(state, states)
    }
  }

  /** Whether a state of a ruleset with loops can be reached, and within the limits. */
  #goesOn(state: State): boolean {
    const { depth, step, reach } = state
    const { maxDepth } = this.#ruleset.config
    if (depth > maxDepth || depth > MAX_ROUNDS) {
      const asked = this.#question.ask([reach], 'max-depth')
      if (asked === 'refuted' || asked === 'proved') return false
      this.#isTruncated = true
      this.#note(
        'max-depth',
        'unknown',
        `step ${quote(step)} may be entered more than ${Math.min(MAX_ROUNDS, maxDepth)} times`,
      )
      return false
    }
    return this.#question.isPossible([reach])
  }

  #enter(state: State, states: States): void {
    const step = this.#symbolic.step(state.step)
    const { variables, depth } = state
    const key = claims.step(state.step)
    if (!this.#entered.has(state.step)) {
      const verdict = this.#question.hasSeen(key) ? 'refuted' : this.#ask([state.reach], key)
      if (verdict === 'proved') return
      this.#entered.add(state.step)
    }
    if (step.type === 'terminal') {
      const place = parts.result(step.id)
      if (this.#outputs === undefined && !canResultFail(step)) return
      let succeeds = state.reach
      for (const value of this.#symbolic.result(step, variables)) {
        const errors = this.#encoder.errors(value, this.#symbolic.policy)
        this.#fails(
          place,
          placeOf(step.id),
          [succeeds],
          [...errors].map(([code, literal]) => ({ code, literal })),
        )
        succeeds = this.#solver.and([succeeds, ...[...errors.values()].map((literal) => literal ^ 1)])
      }
      this.#compareOutputs(step, variables, succeeds)
      return
    }
    if (step.type === 'action') {
      const { reach } = state
      const effect = this.#symbolic.run(step.actions, step.id, variables, depth)
      const { unique, failures } = effect
      if (unique !== undefined) this.#compareRows(step, unique, reach)
      const others = failures.filter((failure) => failure !== unique?.overlap)
      this.#fails(parts.actions(step.id, undefined), placeOf(step.id), [reach], others)
      states.add(step.nextStep, effect.variables, depth + 1, this.#solver.and([reach, effect.succeeds]))
      return
    }
    this.#decide(step, state, states)
  }

  #decide(step: DecisionStep, { variables, depth, reach }: State, states: States): void {
    const truths = step.branches.map((branch) => this.#symbolic.truth(branch, variables))
    const effects = step.branches.map(({ actions }) => this.#symbolic.run(actions, step.id, variables, depth))
    const passing = [reach]
    /** When a branch is evaluated, or when none is taken. The gate is made when a question needs it. */
    const passed = (index: number): Literal => {
      for (let known = passing.length; known <= index; known++)
        passing.push(this.#solver.and([defined(passing[known - 1]), truths[known - 1]?.fails ?? FALSE]))
      return defined(passing[index])
    }
    const way = (index: number): Literal => this.#solver.and([passed(index), truths[index]?.holds ?? FALSE])
    const isShownDirectly = (index: number, key: string): boolean => {
      if (this.#question.hasSeen(key)) return true
      const condition = this.#symbolic.condition(defined(step.branches[index]), variables)
      const input = inputOfConjuncts(condition, this.#symbolic.policy.numbers)
      if (input === undefined || this.#question.isOver) return false
      const candidate = overlaid(this.#question.shownBy(claims.step(step.id)), { input })
      return this.#question.shows(candidate, key)
    }
    const failsDirectly = (index: number, key: string): boolean => {
      if (this.#question.hasSeen(key)) return true
      const condition = this.#symbolic.condition(defined(step.branches[index]), variables)
      const reaching = this.#question.shownBy(claims.step(step.id))
      return failingInputs(condition, this.#symbolic.policy.numbers).some(
        (input) => !this.#question.isOver && this.#question.shows(overlaid(reaching, { input }), key),
      )
    }
    const searches: LocalSearch[] = []
    const localSearch = (index: number): LocalSearch =>
      (searches[index] ??= new LocalSearch(
        this.#symbolic.condition(defined(step.branches[index]), variables),
        this.#symbolic.policy,
        this.#domain,
        this.#encoder.outcomes,
        this.#options.further,
      ))
    if (this.#options.firstMatch?.has(step.id) === true && truths.length <= MAX_COMPARED)
      this.#comparisons.push(() => this.#compareFirstRows(step, { variables, reach }, truths))
    // Questions with the same beginning come one after the other: the search keeps its work on that.
    const before = [reach]
    const assumed = new Set(before)
    for (const [index, truth] of truths.entries()) {
      const failures = [...truth.errors].map(([code, literal]) => ({ code, literal }))
      const part = parts.condition(step.id, index)
      for (const { code, literal } of failures) {
        if (this.#misses > MAX_MISSES) break
        const key = claims.fails(part, code)
        if (this.#isProvedBefore(key, literal, assumed)) continue
        const isShown =
          failsDirectly(index, key) ||
          this.#isShownLocally(
            key,
            () => localSearch(index),
            ({ errors }) => errors.get(code),
            step.id,
          )
        this.#misses = isShown ? 0 : this.#misses + 1
      }
      this.#fails(part, placeOf(step.id, index), before, failures, assumed)
      before.push(truth.fails)
      assumed.add(truth.fails)
    }
    for (const [index, branch] of step.branches.entries()) {
      const [truth, effect] = [defined(truths[index]), defined(effects[index])]
      if (this.#question.isOver) {
        this.#isTruncated = true
        return
      }
      const key = claims.taken(step.id, index)
      const isShown =
        isShownDirectly(index, key) ||
        this.#isShownLocally(
          key,
          () => localSearch(index),
          ({ holds }) => holds,
          step.id,
        )
      if (isShown || this.#takes(key, before.slice(0, index + 1), truth, truths, reach, index)) {
        if (effect.failures.length > 0)
          this.#fails(parts.actions(step.id, index), placeOf(step.id, index), [way(index)], effect.failures)
        states.add(branch.nextStep, effect.variables, depth + 1, () => this.#solver.and([way(index), effect.succeeds]))
      }
      if (truth.fails !== FALSE) continue
      // Nothing comes after it.
      for (let later = index + 1; later < truths.length; later++) this.#proveTaken(step.id, later, [index])
      this.#noteEnd(step, index)
      this.#note(claims.gap(step.id), 'proved')
      return
    }
    const key = step.defaultNext === undefined ? claims.gap(step.id) : claims.default(step.id)
    const isPassed = this.#ask(before, key) !== 'proved'
    if (isPassed && step.defaultNext !== undefined)
      states.add(step.defaultNext, variables, depth + 1, () => passed(truths.length))
    this.#noteEnd(step, isPassed ? Infinity : this.#endOf(step, truths, reach))
  }

  /** Whether a row of which at most one may match does so together with an earlier one. */
  #compareRows({ id, nextStep }: ActionStep, { rows, truths, variable, overlap }: UniqueEffect, reach: Literal): void {
    const { policy } = this.#symbolic
    const next = this.#symbolic.step(nextStep)
    const placeOfRow = (row: number): string => {
      const wanted = `($${variable} == ${stringifyJson(rows[row]?.id ?? null)})`
      const branch = next.type === 'decision' ? next.branches.findIndex((one) => print(one.condition) === wanted) : -1
      return branch < 0 ? placeOf(id) : placeOf(nextStep, branch)
    }
    const failing = claims.fails(parts.actions(id, undefined), overlap.code)
    const matches = ({ input, now = 0 }: Candidate, row: number): boolean => {
      const condition = rows[row]?.condition
      return condition !== undefined && truthOf(evaluate(condition, policy, input, new Map(), now)) === HOLDS
    }
    let earlier: Literal = FALSE
    for (const [row, { holds }] of truths.entries()) {
      const key = claims.overlap(id, row)
      const place = placeOfRow(row)
      if (earlier !== FALSE && !this.#question.hasSeen(key)) {
        const answer = this.#question.askBy([reach, overlap.literal, holds, earlier], key, (candidate, { seen }) => {
          if (!seen.includes(failing) || !matches(candidate, row)) return false
          const other = rows.findIndex((_row, index) => index < row && matches(candidate, index))
          if (other < 0) return false
          this.#overlaps.set(key, { place, by: [placeOfRow(other)], isUnique: true })
          return true
        })
        this.#note(key, answer, this.#question.reason)
        if (answer !== 'refuted') this.#overlaps.set(key, { place, by: [], isUnique: true })
      }
      earlier = this.#solver.or([earlier, holds])
    }
  }

  /** Whether a row of which the first matching one counts matches together with an earlier one that has another result. */
  #compareFirstRows(
    step: DecisionStep,
    { variables, reach }: Pick<State, 'variables' | 'reach'>,
    truths: readonly Truth[],
  ): void {
    const { policy } = this.#symbolic
    const results = step.branches.map(resultText)
    const conditions = step.branches.map((branch) => this.#symbolic.condition(branch, variables))
    const matches = ({ input, now = 0 }: Candidate, row: number): boolean =>
      truthOf(evaluate(defined(conditions[row]), policy, input, new Map(), now)) === HOLDS
    for (const [row, { holds, fails }] of truths.entries()) {
      const key = claims.overlap(step.id, row)
      // A row that always matches is the one for all other inputs.
      if (fails === FALSE || this.#question.isOver || this.#question.hasSeen(key)) continue
      if (!this.#question.hasSeen(claims.taken(step.id, row))) continue
      const others = truths
        .slice(0, row)
        .flatMap((truth, index) => (results[index] === results[row] ? [] : [{ truth, index }]))
      const earlier = this.#solver.or(others.map(({ truth }) => truth.holds))
      if (earlier === FALSE) continue
      const place = placeOf(step.id, row)
      const answer = this.#question.askBy([reach, holds, earlier], key, (candidate, { seen }) => {
        if (!seen.includes(claims.step(step.id)) || !matches(candidate, row)) return false
        const other = others.find(({ index }) => matches(candidate, index))
        if (other === undefined) return false
        this.#overlaps.set(key, { place, by: [placeOf(step.id, other.index)], isUnique: false })
        return true
      })
      this.#note(key, answer, this.#question.reason)
      if (answer !== 'refuted') this.#overlaps.set(key, { place, by: [], isUnique: false })
    }
  }

  #judgeOverlaps(findings: Finding[], questions: Mutable<Questions>): void {
    for (const [key, { place, by, isUnique }] of this.#overlaps) {
      const verdict = this.#verdictOf(key)
      questions[verdict]++
      if (verdict === 'unknown') findings.push(unknown('overlap', place, this.#reasonOf(key)))
      if (verdict !== 'refuted') continue
      const reason = isUnique
        ? 'an input matches this row and an earlier one, and at most one may match'
        : 'an input matches this row and an earlier one with another result, which counts'
      const severity = isUnique ? 'error' : 'info'
      findings.push({ kind: 'overlap', place, verdict, severity, by, reason, ...this.#witnessOf(key) })
    }
  }

  /** Whether the outputs of a result have the types of the contract. */
  #compareOutputs(step: TerminalStep, variables: Variables, succeeds: Literal): void {
    const contract = this.#outputs?.of(step.code)
    if (contract === undefined) return
    const { policy } = this.#symbolic
    const expressions = new Map(this.#symbolic.outputs(step, variables))
    for (const [name, kinds] of contract) {
      const expression = expressions.get(name)
      if (expression === undefined) continue
      const constant = constantOf(expression)
      const term = constant === undefined ? this.#encoder.term(expression, policy) : undefined
      const has = (wanted: readonly Kind[]): Literal => {
        if (constant !== undefined) return wanted.includes(kindOf(constant)) ? TRUE : FALSE
        return term?.isAny(...wanted) ?? FALSE
      }
      const others = KINDS.filter((kind) => !kinds.includes(kind) && !NEITHER.has(kind))
      this.#ask([succeeds, has(others)], claims.output(step.id, name, 'wrong'))
      this.#ask([succeeds, has(kinds)], claims.output(step.id, name, 'right'))
    }
  }

  #judgeOutputs(step: TerminalStep, findings: Finding[], questions: Mutable<Questions>): void {
    if (this.#outputs === undefined) return
    const { code, id } = step
    const place = placeOf(id)
    const base = { kind: 'contract', place, code, severity: 'error' } as const
    const contract = this.#outputs.of(code)
    if (contract === undefined) {
      const verdict = this.#verdictOf(claims.step(id))
      questions[verdict]++
      const reason = `the contract has no result ${quote(code)}`
      if (verdict === 'refuted') findings.push({ ...base, verdict, reason, ...this.#witnessOf(claims.step(id)) })
      return
    }
    const names = new Set([...step.fields.keys(), ...step.output.map(([name]) => name)])
    for (const name of contract.keys()) {
      const wrong = claims.output(id, name, 'wrong')
      const verdict = names.has(name) ? this.#verdictOf(wrong) : 'proved'
      questions[verdict]++
      if (!names.has(name)) {
        findings.push({ ...base, verdict: 'proved', reason: `the output ${quote(name)} of the contract is missing` })
      } else if (verdict === 'unknown') {
        findings.push({ ...unknown('contract', place, this.#reasonOf(wrong)), code })
      } else if (verdict === 'refuted') {
        const isNever = this.#verdictOf(claims.output(id, name, 'right')) === 'proved'
        // Inputs may have any type unless a contract is enforced.
        const severity = isNever || this.#domain.size > 0 ? 'error' : 'info'
        const reason = `the output ${quote(name)} has another type than in the contract`
        findings.push({ ...base, severity, verdict, reason, ...this.#witnessOf(wrong) })
      }
    }
  }

  #noteEnd({ id, branches, defaultNext }: DecisionStep, index: number): void {
    const end = index === branches.length - 1 && defaultNext === undefined ? Infinity : index
    this.#ends.set(id, Math.max(this.#ends.get(id) ?? -1, end))
  }

  /** Where nothing is left after a decision's branches, the last that is taken may be true by itself. */
  #endOf({ id, branches }: DecisionStep, truths: readonly Truth[], reach: Literal): number {
    const last = branches.findLastIndex((_branch, position) => this.#question.hasSeen(claims.taken(id, position)))
    const truth = truths[last]
    return truth === undefined || this.#question.isPossible([reach, truth.fails]) ? Infinity : last
  }

  /** Executes inputs with an outcome of a condition by itself. Whether the claim, which was not seen before, was shown. */
  #isShownLocally(key: string, local: () => LocalSearch, wanted: (truth: Truth) => Literal | undefined, step: string) {
    if (this.#question.isOver) return false
    const reaching = this.#question.shownBy(claims.step(step))
    const search = local()
    const before = search.work
    const candidates = search.candidates(wanted, reaching)
    this.#question.charge(search.work - before)
    return candidates.some((candidate) => this.#question.shows(candidate, key))
  }

  #takes(
    key: string,
    before: readonly Literal[],
    { holds }: Truth,
    truths: readonly Truth[],
    reach: Literal,
    index: number,
  ): boolean {
    // Most branches are live, and most inputs for which they are true come to them.
    if (holds !== FALSE && !this.#question.hasSeen(key) && this.#question.glance([reach, holds], key)) return true
    const verdict = this.#ask([...before, holds], key)
    if (verdict !== 'proved') return true
    const known = this.#note(key, 'proved')
    if (holds === FALSE || !this.#question.isPossible([reach, holds])) {
      known.isContradictory = true
      return false
    }
    for (const earlier of this.#smallest(truths, reach, holds, index)) known.by.add(earlier)
    return false
  }

  /** Earlier branches of which none can be omitted, so that nothing is left for a branch. */
  #smallest(truths: readonly Truth[], reach: Literal, holds: Literal, index: number): readonly number[] {
    this.#question.isPossible([reach, ...truths.slice(0, index).map(({ fails }) => fails), holds])
    const core = new Set(this.#solver.core)
    let taken = truths.flatMap(({ fails }, earlier) => (earlier < index && core.has(fails) ? [earlier] : []))
    // The same condition twice: the first of them is enough.
    taken = taken.filter(
      (one, position) => taken.findIndex((other) => truths[other]?.fails === truths[one]?.fails) === position,
    )
    if (taken.length > MAX_MINIMIZED) return taken
    for (const candidate of taken.toReversed()) {
      const rest = taken.filter((one) => one !== candidate)
      const failing = rest.map((one) => truths[one]?.fails ?? FALSE)
      if (!this.#question.isPossible([reach, holds, ...failing])) taken = rest
    }
    return taken
  }

  /** @param assumed all of `before` */
  #fails(
    place: string,
    document: string,
    before: readonly Literal[],
    failures: readonly Failure[],
    assumed?: ReadonlySet<Literal>,
  ): void {
    for (const { code, literal } of failures) {
      if (literal === FALSE) continue
      const key = claims.fails(place, code)
      this.#failures.set(key, { place, code, at: document })
      if (this.#question.hasSeen(key)) continue
      if (this.#isProvedBefore(key, literal, assumed)) {
        this.#note(key, 'proved')
        continue
      }
      const answer = this.#ask([...before, literal], key)
      if (answer === 'proved') this.#proofs?.set(key, this.#solver.core)
      // One more try.
      if (answer === 'refuted') this.#misses = Math.min(this.#misses, MAX_MISSES)
    }
  }

  /** Whether the version before proved a failure impossible by assumptions that still hold. */
  #isProvedBefore(key: string, literal: Literal, assumed: ReadonlySet<Literal> | undefined): boolean {
    const core = this.#proofs?.get(key) ?? []
    return core.length > 0 && core.every((one) => one === literal || assumed?.has(one) === true)
  }

  /** The answer in one state; a refutation is final. */
  #ask(assumptions: readonly Literal[], key: string): 'proved' | 'refuted' | 'unknown' {
    if (this.#question.hasSeen(key)) return 'refuted'
    const answer = this.#question.ask(assumptions, key)
    this.#note(key, answer, this.#question.reason)
    return answer
  }

  #note(key: string, answer: 'proved' | 'refuted' | 'unknown', reason?: string): Known {
    const known = this.#known.get(key) ?? { reason: undefined, by: new Set(), isContradictory: false }
    if (answer === 'unknown') known.reason ??= reason
    this.#known.set(key, known)
    return known
  }

  #proveTaken(step: string, index: number, by: readonly number[]): void {
    const known = this.#note(claims.taken(step, index), 'proved')
    for (const one of by) known.by.add(one)
  }

  /** The verdict of a claim that something never happens, after all states were examined. */
  #verdictOf(key: string): 'proved' | 'refuted' | 'unknown' {
    if (this.#question.hasSeen(key)) return 'refuted'
    return this.#isTruncated || this.#known.get(key)?.reason !== undefined ? 'unknown' : 'proved'
  }

  #reasonOf(key: string): string {
    return this.#known.get(key)?.reason ?? 'the budget ended first'
  }

  #judgeSteps(findings: Finding[], questions: Mutable<Questions>): void {
    const codes = new Map<string, { places: string[]; verdicts: Set<string> }>()
    for (const step of this.#ruleset.steps.values()) {
      const key = claims.step(step.id)
      const verdict = this.#entered.has(step.id) && !this.#question.hasSeen(key) ? 'unknown' : this.#verdictOf(key)
      questions[verdict]++
      if (step.type === 'terminal') {
        const known = codes.get(step.code) ?? { places: [], verdicts: new Set() }
        known.places.push(placeOf(step.id))
        known.verdicts.add(verdict)
        codes.set(step.code, known)
      }
      const place = placeOf(step.id)
      if (verdict === 'proved')
        findings.push({
          kind: 'unreachable_step',
          place,
          verdict,
          severity: 'warning',
          reason: `no input leads to the step ${quote(step.id)}`,
        })
      if (verdict === 'unknown') findings.push(unknown('unreachable_step', place, this.#reasonOf(key)))
      if (verdict !== 'proved' && step.type === 'decision') this.#judgeBranches(step, findings, questions)
      if (verdict !== 'proved' && step.type === 'terminal') this.#judgeOutputs(step, findings, questions)
    }
    for (const [code, { places, verdicts }] of codes) {
      const verdict = verdicts.has('refuted') ? 'refuted' : verdicts.has('unknown') ? 'unknown' : 'proved'
      questions[verdict]++
      const [place = ''] = places
      if (verdict === 'proved')
        findings.push({
          kind: 'unreachable_code',
          place,
          code,
          verdict,
          severity: 'warning',
          reason: `no input has the result ${quote(code)}`,
        })
      if (verdict === 'unknown')
        findings.push({ ...unknown('unreachable_code', place, 'whether its step is reached is unknown'), code })
    }
  }

  #judgeBranches(step: DecisionStep, findings: Finding[], questions: Mutable<Questions>): void {
    for (const [index] of step.branches.entries()) {
      const key = claims.taken(step.id, index)
      const place = placeOf(step.id, index)
      const verdict = this.#verdictOf(key)
      questions[verdict]++
      const known = this.#known.get(key)
      const base = { place, verdict, severity: 'error' } as const
      if (verdict === 'unknown') findings.push(unknown('dead_branch', place, this.#reasonOf(key)))
      else if (verdict === 'proved' && known !== undefined && known.by.size > 0) {
        const by = [...known.by].sort((left, right) => left - right).map((one) => placeOf(step.id, one))
        findings.push({
          kind: 'shadowed',
          ...base,
          by,
          reason: 'earlier branches take all inputs for which it is true',
        })
      } else if (verdict === 'proved')
        findings.push({ kind: 'dead_branch', ...base, reason: 'no input that comes to this step makes it true' })
      if (verdict === 'refuted' && this.#isAlwaysTrue(step, index)) {
        questions.proved++
        const reason = 'always true when evaluated: later branches are unreachable'
        findings.push({ kind: 'always_true', place, verdict: 'proved', severity: 'warning', reason })
      }
    }
    if (step.defaultNext !== undefined) return
    const key = claims.gap(step.id)
    const verdict = this.#verdictOf(key)
    questions[verdict]++
    const place = placeOf(step.id)
    if (verdict === 'unknown') findings.push(unknown('gap', place, this.#reasonOf(key)))
    if (verdict !== 'refuted') return
    const reason = 'an input for which no branch is true fails here: there is no default'
    findings.push({ kind: 'gap', place, verdict, severity: 'error', reason, ...this.#witnessOf(key) })
  }

  #isAlwaysTrue({ id }: DecisionStep, index: number): boolean {
    return !this.#isTruncated && this.#ends.get(id) === index && this.#isNeverPassed(id, index)
  }

  /** Whether nothing was seen to pass a branch. */
  #isNeverPassed(id: string, index: number): boolean {
    const step = this.#ruleset.steps.get(id)
    if (step?.type !== 'decision') return false
    for (let later = index + 1; later < step.branches.length; later++)
      if (this.#question.hasSeen(claims.taken(id, later))) return false
    return !this.#question.hasSeen(claims.default(id)) && !this.#question.hasSeen(claims.gap(id))
  }

  #judgeFailures(findings: Finding[], questions: Mutable<Questions>): void {
    for (const [key, { place, code, at: document }] of this.#failures) {
      const seen = code === UNKNOWN_ERROR ? this.#question.seenWith(claims.fails(place, '')) : [key]
      const shown = seen.filter((one) => this.#question.hasSeen(one))
      const verdict = shown.length > 0 ? 'refuted' : this.#verdictOf(key)
      questions[verdict]++
      if (verdict === 'unknown')
        findings.push({
          ...unknown('can_fail', document, this.#reasonOf(key)),
          ...(code === UNKNOWN_ERROR ? {} : { error: code }),
        })
      for (const one of shown) {
        const error = one.slice(claims.fails(place, '').length)
        if (one !== key && this.#failures.has(one)) continue
        const reason = `an input ends here in the error ${quote(error)}`
        findings.push({
          kind: 'can_fail',
          place: document,
          verdict: 'refuted',
          severity: severityOf(error),
          error,
          reason,
          ...this.#witnessOf(one),
        })
      }
    }
  }

  #judgeDepth(findings: Finding[], questions: Mutable<Questions>): void {
    if (this.#symbolic.ranks !== undefined) return
    const verdict = this.#verdictOf('max-depth')
    questions[verdict]++
    const { entryStep, maxDepth } = this.#ruleset.config
    const place = placeOf(entryStep)
    if (verdict === 'unknown') findings.push(unknown('depth_limit', place, this.#reasonOf('max-depth')))
    if (verdict !== 'refuted') return
    const graph = stepGraph(this.#ruleset)
    const [loop] = endlessLoops(this.#ruleset, graph)
    const start = loop?.[0] === undefined ? undefined : graph.ids[loop[0]]
    const kind = start === undefined ? 'depth_limit' : 'endless_loop'
    const reason = `an input enters more than ${maxDepth} steps (\`max_depth\`)`
    findings.push({
      kind,
      place: start === undefined ? place : placeOf(start),
      verdict,
      severity: 'error',
      reason,
      ...this.#witnessOf('max-depth'),
    })
  }

  #witnessOf(key: string): { readonly witness?: Witness } {
    const witness = this.#question.witnessOf(key)
    return witness === undefined ? {} : { witness }
  }
}

/** Whether a result has expressions, which may fail. */
function canResultFail({ message, output }: TerminalStep): boolean {
  return output.length > 0 || message.kind !== 'text'
}

/** Kinds of an output that neither keep nor violate its type. */
const NEITHER: ReadonlySet<Kind> = new Set(['null', 'missing', 'error'])

type Mutable<Shape> = { -readonly [Key in keyof Shape]: Shape[Key] }

function unknown(kind: Finding['kind'], place: string, reason: string): Finding {
  return { kind, place, verdict: 'unknown', severity: 'info', reason }
}

/**
 * Errors that only values of a wrong type, a field that strict mode requires, numbers without measure, or a service that fails bring
 * about.
 */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['wrong-type', 'missing-field', 'not-finite', 'external-call'])

function severityOf(error: string): Severity {
  return FROM_OUTSIDE.has(error) ? 'info' : 'warning'
}
