import { defined, canFail, type EvaluationPolicy, type Expression, FUNCTIONS, isBinaryOf } from '@engine/expression'
import { Budget, NO_SPAN, print, printPath, quote, type Segment, type Value, walk } from '@engine/expression'
import { evaluationPolicy, type Ruleset, violationsOf } from '@engine/ruleset'
import { contractText } from '../formula/contract-domain.ts'
import { type Building, evaluate, FAILS, HOLDS, put, truthOf } from '../formula/evaluate.ts'
import { isPlain } from '../terms/path.ts'
import { sortedText } from '../terms/term.ts'
import { type Claim, eventsAgainst, isAboutTwo, isBreach } from './claim.ts'
import { type Class, Classes } from './classes.ts'
import { type End, type Place, placeOf, positionText, Walk, type Way } from './graph-walk.ts'

/** The numbers that are left, by field and by `?` and the text of an expression. */
export type Cell = ReadonlyMap<string, readonly number[]>

/** A condition with several outcomes in a cell, its place, and the earlier ones on the same walk. */
export interface Open {
  readonly node: Expression
  readonly place: string
  readonly isShared: boolean
  readonly before: Open | undefined
}

/** A proof is not accepted; the message is the reason. */
export class Refused extends Error {}

/** The result of work, or why it is refused. */
export function resultOrRefusal<Result>(work: () => Result): Result | string {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

const MAX_WORK = 20_000_000
const MAX_SPLITS = 200

/**
 * Checks covers. A walk through the rules follows every outcome that a part leaves possible, so an event that it does not meet
 * happens for no input of that part. The interpreter evaluates the conditions. No code is shared with the search.
 */
export class Checker {
  /** The claims are about an old and a new version. */
  readonly isAboutTwo: boolean
  readonly #classes: Classes
  readonly #rulesets: readonly Ruleset[]
  readonly #policy: EvaluationPolicy
  readonly #walks: readonly Walk[]
  readonly #outcomes = new Map<string, string | undefined>()
  readonly #facts = new WeakMap<Expression, Facts>()
  #met: Expression[] = []
  #work = 0

  constructor(rulesets: readonly [Ruleset, ...Ruleset[]]) {
    const numbers = new Map<string, number>()
    this.#rulesets = rulesets
    this.isAboutTwo = rulesets.length > 1
    this.#policy = evaluationPolicy(rulesets[0])
    this.#walks = rulesets.map((one) => new Walk(one, numbers))
    if (new Set(rulesets.map(frameText)).size > 1) throw new Refused('the `config` of the versions differs')
    if (rulesets.length > 1 && this.#walks.some(({ isFinite }) => !isFinite))
      throw new Refused('an execution may enter more than `max_depth` steps')
    if (this.#walks.some(({ asksInLoops }) => asksInLoops)) throw new Refused('there are calls in a loop')
    this.#classes = new Classes(rulesets)
  }

  /** Throws `Refused` if a cover leaves out inputs, or has a part for which the claim is not seen to hold. */
  check(claim: Claim, cover: unknown, cell: Cell = new Map()): void {
    if (cover === 0 && this.breach(claim, cell) !== undefined)
      throw new Refused('a part of the cover does not decide the claim')
    if (cover === 0) return
    const [split, ...parts]: readonly unknown[] = Array.isArray(cover) ? cover : []
    if (typeof split !== 'string' || cell.size > MAX_SPLITS) throw new Refused('not a cover')
    const left = cell.get(split) ?? this.partsOf(split)
    const covered = new Set<number>()
    for (const part of parts) {
      const [ranges, inner]: readonly unknown[] = Array.isArray(part) ? part : []
      if (!Array.isArray(ranges)) throw new Refused('not a part of a cover')
      const kept = left.filter((one) => ranges.some((low, at) => at % 2 === 0 && low <= one && one <= ranges[at + 1]))
      for (const one of kept) covered.add(one)
      if (kept.length > 0) this.check(claim, inner, new Map([...cell, [split, kept]]))
    }
    if (covered.size < left.length) throw new Refused(`the cover leaves out values of ${quote(split)}`)
  }

  /** The numbers of the classes of a field that the contract may allow; of an expression: true, false, an error. */
  partsOf(split: string): readonly number[] {
    if (split.startsWith('?')) return [0, 1, 2]
    const contract = this.#rulesets[0]?.config.contract
    const own = contract?.fields.filter(({ path, limits }) => !limits && pathText(path) === split) ?? []
    if (contract?.mode !== 'enforce' || own.length === 0) return [...this.#classes.list.keys()]
    const path = (own[0]?.path ?? []).map((name) => ({ kind: 'name', name }) as const)
    const isAllowed = ({ value }: Class): boolean =>
      (typeof value === 'object' && value !== null) ||
      violationsOf({ ...contract, fields: own }, inputOf(path, value), Budget.endless()).length === 0
    return this.#classes.list.flatMap((one, index) => (isAllowed(one) ? [index] : []))
  }

  /** The open conditions on a walk that contradicts the claim; undefined: no walk does. */
  breach(claim: Claim, cell: Cell): { readonly open: Open | undefined } | undefined {
    const isPair = this.isAboutTwo
    if (isAboutTwo(claim) !== isPair) throw new Refused(`${quote(claim.kind)} needs ${isPair ? 'one ruleset' : 'two'}`)
    const against = eventsAgainst(claim)
    const pending: { sides: readonly (Place | End)[]; open: Open | undefined; isWrong: boolean }[] = []
    const add = (ways: readonly Way[], isShared: boolean, open: Open | undefined): void => {
      const areSame = isShared && new Set(ways.map(({ errors }) => errors.map(({ end }) => end).join('\n'))).size === 1
      const [first = [], second] = ways.map(({ to, errors }) => (areSame ? [to] : [to, ...errors]))
      const isWrong = ways.some(({ events }) => events.some((one) => against.includes(one)))
      for (const one of first)
        for (const sides of second?.map((other) => [one, other]) ?? [[one]]) pending.push({ sides, open, isWrong })
    }
    add(
      this.#walks.map((one) => one.start()),
      true,
      undefined,
    )
    const visited = new Set<string>()
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { sides, open } = next
      if (next.isWrong || isBreach(claim, sides)) return { open }
      const key = sides.map(positionText).join('\n\n')
      if (visited.has(key) || sides.every((one) => 'end' in one) || this.#isSameBehind(sides)) continue
      visited.add(key)
      const asked = sides.map((one, side) => ('end' in one ? undefined : this.#walks[side]?.condition(one)))
      const texts = asked.map((one) => one && this.factsOf(one).text)
      const isShared = texts[0] !== undefined && texts[0] === texts[1]
      const later = sides.map((one, side) => !isShared && this.#comesLater(one, sides[1 - side]))
      this.#met = []
      const ways = sides.map((one, side): readonly (readonly [string, Way])[] => {
        // A condition that comes later in the other version waits for it.
        if ('end' in one || (later[side] === true && later[1 - side] !== true))
          return [['', { to: one, errors: [], events: [] }]]
        const condition = asked[side]
        const outcomes = condition === undefined ? [HOLDS] : this.outcomesOf(condition, cell)
        return outcomes.map((outcome) => [outcome, defined(this.#walks[side]).onward(one, outcome)] as const)
      })
      const place = sides.flatMap((one) => ('end' in one ? [] : [placeOf(one.step.id, one.branch)])).join(' ')
      const after = this.#met.reduce<Open | undefined>((before, node) => ({ node, place, isShared, before }), open)
      for (const [outcome, way] of ways[0] ?? []) {
        if (ways[1] === undefined) add([way], false, after)
        for (const [other, second] of ways[1] ?? [])
          if (!isShared || outcome === other) add([way, second], isShared, after)
      }
    }
    return undefined
  }

  #isSameBehind([one, other]: readonly (Place | End)[]): boolean {
    if (one === undefined || other === undefined || 'end' in one || 'end' in other) return false
    const text = this.#walks[0]?.textBehind(one)
    return text !== undefined && text === this.#walks[1]?.textBehind(other)
  }

  /** Whether the next condition of one version comes later in the other. */
  #comesLater(one: Place | End, other: Place | End | undefined): boolean {
    const condition = 'end' in one ? undefined : one.step.branches[one.branch]?.condition
    if (condition === undefined || other === undefined || 'end' in other) return false
    const { text } = this.factsOf(condition)
    return other.step.branches.some(
      (branch, index) => index > other.branch && this.factsOf(branch.condition).text === text,
    )
  }

  /** The possible outcomes of a condition: true, false, errors. */
  outcomesOf(node: Expression, cell: Cell): readonly string[] {
    if (node.kind === 'unary' && node.operator === '!')
      return this.outcomesOf(node.operand, cell).map((one) => (one === HOLDS ? FAILS : one === FAILS ? HOLDS : one))
    const isLogic = isBinaryOf('logic', node)
    if (isLogic || node.kind === 'conditional') {
      const first = this.outcomesOf(isLogic ? node.left : node.condition, cell)
      const next: Record<string, Expression> = isLogic
        ? { [node.operator === '&&' ? HOLDS : FAILS]: node.right }
        : { [HOLDS]: node.consequent, [FAILS]: node.alternate }
      return [...new Set(first.flatMap((one) => (next[one] ? this.outcomesOf(next[one], cell) : [one])))]
    }
    if (++this.#work > MAX_WORK) throw new Refused('checking takes too long')
    const { path, text, isOpaque, mayFail } = this.factsOf(node)
    const left = path === undefined ? [0] : cell.get(path)
    let found = isOpaque || left === undefined ? [undefined] : left.map((index) => this.outcomeIn(node, index))
    if (found.includes(undefined))
      found = (cell.get(`?${text}`) ?? [0, 1, 2])
        .filter((one) => mayFail || one < 2)
        .map((one) => [HOLDS, FAILS][one] ?? `!${text}`)
    const outcomes = [...new Set(found.filter((one) => one !== undefined))]
    if (outcomes.length > 1) this.#met.push(node)
    return outcomes
  }

  /** The outcome for all values of a class of the only field; undefined: it is not the same for all. */
  outcomeIn(node: Expression, index: number): string | undefined {
    const { segments, text } = this.factsOf(node)
    const key = `${index} ${text}`
    if (this.#outcomes.has(key)) return this.#outcomes.get(key)
    const one = this.#classes.list[index]
    const isKnown = segments === undefined || (one !== undefined && this.#classes.isUniform(node, one))
    const outcome = isKnown ? truthOf(evaluate(node, this.#policy, inputOf(segments ?? [], one?.value))) : undefined
    this.#outcomes.set(key, outcome)
    return outcome
  }

  factsOf(node: Expression): Facts {
    const known = this.#facts.get(node)
    if (known !== undefined) return known
    const fields = new Map<string, readonly Segment[]>()
    let isOpaque = false
    walk(node, (part) => {
      if (part.kind === 'field') fields.set(printPath(part), part.path)
      const isVolatile = part.kind === 'call' && FUNCTIONS.get(part.name)?.volatile === true
      if (isVolatile || part.kind === 'variable') isOpaque = true
    })
    const [[path, segments] = [undefined, undefined]] = fields
    isOpaque ||= fields.size > 1 || (segments !== undefined && !isPlain(segments))
    const facts = { path, segments, isOpaque, text: print(node), mayFail: canFail(node, this.#policy) }
    this.#facts.set(node, facts)
    return facts
  }
}

interface Facts {
  /** The only field, if there is one. */
  readonly path: string | undefined
  readonly segments: readonly Segment[] | undefined
  /** The value depends on more than that field. */
  readonly isOpaque: boolean
  readonly text: string
  readonly mayFail: boolean
}

function pathText(path: readonly string[]): string {
  return printPath({ kind: 'field', path: path.map((name) => ({ kind: 'name', name })), span: NO_SPAN })
}

function inputOf(path: readonly Segment[], value: Value | undefined): Value {
  const input: Building = {}
  if (value !== undefined) put(input, path, value)
  return input
}

/** The configuration that both versions must share. */
function frameText(ruleset: Ruleset): string {
  const { maxDepth, fieldMissing, defaults, numbers } = ruleset.config
  return [maxDepth, fieldMissing, numbers, sortedText(Object.fromEntries(defaults)), contractText(ruleset)].join('\n')
}
