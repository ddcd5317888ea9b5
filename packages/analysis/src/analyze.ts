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
import { inputOfConjuncts } from './witness/conjunct-input.ts'
import { LocalSearch, overlaid } from './witness/local-search.ts'
import { claims, parts, type ResultWatch } from './witness/trail.ts'
import { Executor } from './witness/executor.ts'
import { Guesses } from './witness/guesses.ts'
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
}

const DEFAULT_BUDGET = 60_000_000

/** States that are looked at: enough for each step of a large ruleset with some variables. */
const MAX_STATES = 40_000
/** Inputs tried for claims that the search could not settle. */
const MAX_GUESSES = 4000
/** Times a loop is followed. */
const MAX_ROUNDS = 200
/** Errors in a row that no local search shows; then the search over all rows handles the rest. */
const MAX_MISSES = 8
/** Earlier branches among which the smallest set is searched. */
const MAX_MINIMIZED = 40

/** All possible problems of a ruleset: each claim is proved, refuted by a witness, or unknown. */
export function analyze(ruleset: Ruleset, options: AnalyzeOptions = {}): Report {
  return new Analysis(ruleset, options).report()
}

/** The state of one claim. */
interface Known {
  /** Proved in all states so far, unless it was observed or a reason is recorded. */
  asked: number
  reason: string | undefined
  by: Set<number>
  isContradictory: boolean
}

/** Knowledge from the version before, over the same domain. */
export interface Memory {
  readonly encoder: Encoder
  /** Inputs whose execution is the same. */
  readonly recalled: readonly ShownInput[]
  /** Inputs to execute again. */
  readonly again: readonly Candidate[]
}

/** The analysis of one ruleset: its report, and the inputs that showed something. */
export class Analysis {
  readonly #ruleset: Ruleset
  readonly #options: AnalyzeOptions
  readonly #memory: Memory | undefined
  readonly #solver: Solver
  readonly #domain: InputDomain
  readonly #encoder: Encoder
  readonly #symbolic: SymbolicRuleset
  readonly #question: Question
  readonly #known = new Map<string, Known>()
  readonly #alwaysTrue = new Map<string, Set<number>>()
  readonly #failures = new Map<string, { place: string; code: string; at: string }>()
  readonly #entered = new Set<string>()
  readonly #outputs: OutputContracts | undefined
  readonly #overlaps = new Map<string, { readonly place: string; readonly by: readonly string[] }>()
  #isTruncated = false

  constructor(ruleset: Ruleset, options: AnalyzeOptions, memory?: Memory) {
    this.#ruleset = ruleset
    this.#options = options
    this.#memory = memory
    this.#domain = options.domain ?? contractDomain(ruleset)
    this.#encoder = memory?.encoder ?? new Encoder(new Solver(), this.#domain, ruleset.config.numbers)
    this.#solver = this.#encoder.solver
    this.#symbolic = new SymbolicRuleset(this.#encoder, ruleset)
    const outputs = options.outputs && new OutputContracts(options.outputs)
    this.#outputs = outputs
    const shownByResult: ResultWatch | undefined = outputs && ((step, output) => outputs.shownBy(step, output))
    const executor = new Executor(ruleset, { shownByResult, compiles: options.compiles })
    this.#question = new Question(this.#encoder, [executor], options.budget ?? DEFAULT_BUDGET)
  }

  /** Inputs that were the first to show something, those with no answer from outside left out. */
  shown(): readonly Witness[] {
    return this.#question.shown()
  }

  /** The first input that showed a claim. */
  shownBy(key: string): Witness | undefined {
    return this.#question.shownBy(key)
  }

  /** The formulas, and the inputs that showed something, for the next version. */
  memory(): { readonly encoder: Encoder; readonly inputs: readonly ShownInput[] } {
    return { encoder: this.#encoder, inputs: this.#question.inputs() }
  }

  report(): Report {
    for (const one of this.#memory?.recalled ?? []) this.#question.recall(one)
    for (const candidate of this.#memory?.again ?? []) this.#question.follow(candidate)
    for (const input of this.#options.seeds ?? []) this.#question.follow({ input })
    this.#explore()
    this.#guess()
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
    if (open.length > 0)
      this.#question.guess(new Guesses([this.#ruleset]), open, Math.min(MAX_GUESSES, 400 + 100 * open.length))
  }

  #explore(): void {
    const states = new States(this.#solver, this.#symbolic)
    const { config } = this.#ruleset
    states.add(config.entryStep, new Map(), 1, 0)
    let count = 0
    for (let state = states.next(); state !== undefined; state = states.next()) {
      if (state.reach === FALSE) continue
      if (++count > MAX_STATES || this.#question.isOver) {
        this.#isTruncated = true
        return
      }
      if (this.#symbolic.ranks === undefined && !this.#goesOn(state)) continue
      this.#enter(state, states)
    }
  }

  /** Whether a state of a ruleset with loops can be reached, and within the limits. */
  #goesOn({ reach, depth, step }: State): boolean {
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
    const { variables, depth, reach } = state
    if (!this.#entered.has(state.step)) {
      const verdict = this.#ask([reach], claims.step(state.step))
      if (verdict === 'proved') return
      if (verdict === 'unknown') this.#note(claims.step(state.step), 'unknown', this.#question.reason)
      this.#entered.add(state.step)
    }
    if (step.type === 'terminal') {
      const place = parts.result(step.id)
      let succeeds = reach
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
    let live = reach
    const ways = truths.map((truth) => {
      const way = this.#solver.and([live, truth.holds])
      live = this.#solver.and([live, truth.fails])
      return way
    })
    const isShownDirectly = (index: number, key: string): boolean => {
      if (this.#question.hasSeen(key)) return true
      const condition = this.#symbolic.condition(defined(step.branches[index]), variables)
      const input = inputOfConjuncts(condition, this.#symbolic.policy.numbers)
      if (input === undefined || this.#question.isOver) return false
      const candidate = overlaid(this.#question.shownBy(claims.step(step.id)), { input })
      return this.#question.follow(candidate).seen.includes(key)
    }
    const searches: LocalSearch[] = []
    const localSearch = (index: number): LocalSearch =>
      (searches[index] ??= new LocalSearch(
        this.#symbolic.condition(defined(step.branches[index]), variables),
        this.#symbolic.policy,
        this.#domain,
        this.#encoder.outcomes,
      ))
    let misses = 0
    // Questions with the same beginning come one after the other: the search keeps its work on that.
    const before = [reach]
    for (const [index, truth] of truths.entries()) {
      const failures = [...truth.errors].map(([code, literal]) => ({ code, literal }))
      const part = parts.condition(step.id, index)
      for (const { code } of failures) {
        if (misses > MAX_MISSES) break
        const key = claims.fails(part, code)
        const isShown = this.#isShownLocally(
          key,
          () => localSearch(index),
          ({ errors }) => errors.get(code),
          step.id,
        )
        misses = isShown ? 0 : misses + 1
      }
      this.#fails(part, placeOf(step.id, index), before, failures)
      before.push(truth.fails)
    }
    for (const [index, branch] of step.branches.entries()) {
      const [truth, effect, way] = [truths[index], effects[index], ways[index] ?? FALSE]
      if (truth === undefined || effect === undefined) continue
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
        this.#fails(parts.actions(step.id, index), placeOf(step.id, index), [way], effect.failures)
        states.add(branch.nextStep, effect.variables, depth + 1, this.#solver.and([way, effect.succeeds]))
      }
      if (truth.fails !== FALSE) continue
      // Nothing comes after it.
      for (let later = index + 1; later < truths.length; later++) this.#proveTaken(step.id, later, [index])
      if (index < truths.length - 1 || step.defaultNext !== undefined) this.#noteAlwaysTrue(step.id, index)
      this.#note(claims.gap(step.id), 'proved')
      return
    }
    const key = step.defaultNext === undefined ? claims.gap(step.id) : claims.default(step.id)
    const isPassed = this.#ask(before, key) !== 'proved'
    if (isPassed && step.defaultNext !== undefined) states.add(step.defaultNext, variables, depth + 1, live)
    if (!isPassed) this.#findAlwaysTrue(step, truths, reach)
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
          this.#overlaps.set(key, { place, by: [placeOfRow(other)] })
          return true
        })
        this.#note(key, answer, this.#question.reason)
        if (answer !== 'refuted' && !this.#overlaps.has(key)) this.#overlaps.set(key, { place, by: [] })
      }
      earlier = this.#solver.or([earlier, holds])
    }
  }

  #judgeOverlaps(findings: Finding[], questions: Mutable<Questions>): void {
    for (const [key, { place, by }] of this.#overlaps) {
      const verdict = this.#verdictOf(key)
      questions[verdict]++
      if (verdict === 'unknown') findings.push(unknown('overlap', place, this.#reasonOf(key)))
      if (verdict !== 'refuted') continue
      const reason = 'an input matches this row and an earlier one, and at most one may match'
      findings.push({ kind: 'overlap', place, verdict, severity: 'error', by, reason, ...this.#witnessOf(key) })
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

  #noteAlwaysTrue(step: string, index: number): void {
    const known = this.#alwaysTrue.get(step) ?? new Set()
    this.#alwaysTrue.set(step, known.add(index))
  }

  /** Where nothing is left after a decision's branches, the last that is taken may be true by itself. */
  #findAlwaysTrue(step: DecisionStep, truths: readonly Truth[], reach: Literal): void {
    const last = step.branches.findLastIndex((_branch, position) =>
      this.#question.hasSeen(claims.taken(step.id, position)),
    )
    const truth = truths[last]
    if (truth === undefined || (last === truths.length - 1 && step.defaultNext === undefined)) return
    if (!this.#question.isPossible([reach, truth.fails])) this.#noteAlwaysTrue(step.id, last)
  }

  /** Executes inputs with an outcome of a condition by itself. Whether the claim was shown, now or before. */
  #isShownLocally(key: string, local: () => LocalSearch, wanted: (truth: Truth) => Literal | undefined, step: string) {
    if (this.#question.hasSeen(key)) return true
    if (this.#question.isOver) return false
    const reaching = this.#question.shownBy(claims.step(step))
    const search = local()
    const before = search.work
    const candidates = search.candidates(wanted, reaching)
    this.#question.charge(search.work - before)
    return candidates.some((candidate) => this.#question.follow(candidate).seen.includes(key))
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

  #fails(place: string, document: string, before: readonly Literal[], failures: readonly Failure[]): void {
    for (const { code, literal } of failures) {
      if (literal === FALSE) continue
      const key = claims.fails(place, code)
      this.#failures.set(key, { place, code, at: document })
      this.#ask([...before, literal], key)
    }
  }

  /** The answer in one state; a refutation is final. */
  #ask(assumptions: readonly Literal[], key: string): 'proved' | 'refuted' | 'unknown' {
    if (this.#question.hasSeen(key)) return 'refuted'
    const answer = this.#question.ask(assumptions, key)
    this.#note(key, answer, this.#question.reason)
    return answer
  }

  #note(key: string, answer: 'proved' | 'refuted' | 'unknown', reason?: string): Known {
    const known = this.#known.get(key) ?? { asked: 0, reason: undefined, by: new Set(), isContradictory: false }
    known.asked++
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
    return !this.#isTruncated && this.#alwaysTrue.get(id)?.has(index) === true && this.#isNeverPassed(id, index)
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

/** Kinds of an output that neither keep nor violate its type. */
const NEITHER: ReadonlySet<Kind> = new Set(['null', 'missing', 'error'])

type Mutable<Shape> = { -readonly [Key in keyof Shape]: Shape[Key] }

function unknown(kind: Finding['kind'], place: string, reason: string): Finding {
  return { kind, place, verdict: 'unknown', severity: 'info', reason }
}

/** Errors that only values of a wrong type, a field that strict mode requires, or numbers without measure bring about. */
const BY_WRONG_INPUT: ReadonlySet<string> = new Set(['wrong-type', 'missing-field', 'not-finite'])

function severityOf(error: string): Severity {
  return BY_WRONG_INPUT.has(error) ? 'info' : 'warning'
}
