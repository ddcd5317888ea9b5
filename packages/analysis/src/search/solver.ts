import { defined } from '@engine/expression'

/**
 * A variable with its sign: `2 * variable`, plus 1 when it is negated. Variable 0 is always true.
 */
export type Literal = number

export const TRUE: Literal = 0
export const FALSE: Literal = 1

export function negated(literal: Literal): Literal {
  return literal ^ 1
}

export type Answer = 'satisfiable' | 'unsatisfiable' | 'budget'

/** The result of checking a satisfying assignment in a theory. */
export type Check =
  | { readonly kind: 'consistent' }
  /** Literals of which one has to be true, all false now. */
  | { readonly kind: 'conflict'; readonly clause: readonly Literal[] }
  /** A question that has to be answered next. */
  | { readonly kind: 'decide'; readonly literal: Literal }

/** Called again after it has added clauses: they take the search back to its beginning. */
export type Theory = () => Check

const CONSISTENT: Theory = () => ({ kind: 'consistent' })

/**
 * The index of a clause in the arena; 0 is none. There are its size, the next clause in the list of each of its two
 * watched literals, and its literals, of which the first two are watched. A binary clause takes 20 bytes; as objects, the
 * clauses of a ruleset with 300 branches took 250 MB.
 */
type Clause = number

const NO_CLAUSE: Clause = 0
/** Variables that have room at first. */
const LEAST_SIZE = 512
const FIRST_LINK = 1
const SECOND_LINK = 2
const LITERALS = 3

/**
 * Conflict-driven clause learning over a circuit of AND gates. Decisions come only from gates whose value has no
 * cause yet, so that a question about one row costs what that row touches. Clauses that were learned stay for the
 * next question. Work is counted in assignments; a question ends when its budget is spent.
 */
export class Solver {
  /** By literal: 1 true, -1 false, 0 open. */
  #values = new Int8Array()
  #levels = new Int32Array()
  #activity = new Float64Array()
  #seen = new Uint8Array()
  #visited = new Uint32Array()
  /** By variable: the clause that made its literal true. */
  #reasons = new Int32Array()
  /** By literal: the clauses that watch it, a list in the order in which they came. */
  #firstWatches = new Int32Array()
  #lastWatches = new Int32Array()
  #arena = new Int32Array()
  #arenaEnd = 1
  /** By literal, within `addClause`. */
  #marks = new Uint8Array()
  /** Children of a variable that is an AND gate. */
  readonly #gates: (readonly Literal[] | undefined)[] = []
  readonly #known = new Map<string, Literal>()
  readonly #trail: Literal[] = []
  readonly #limits: number[] = []
  #assumed: readonly Literal[] = []
  #head = 0
  #bump = 1
  #stamp = 0
  #isContradictory = false
  #work = 0

  /** The assumption that the last question could not make true. */
  #refused: Literal | undefined

  constructor() {
    this.createVariable()
    this.#assign(TRUE, NO_CLAUSE)
  }

  /** After `unsatisfiable`, until anything else is done: assumptions that cannot hold together. Linear in the assignment. */
  get core(): readonly Literal[] {
    return this.#refused === undefined ? [] : this.#coreOf(this.#refused)
  }

  /** Assignments made so far. */
  get work(): number {
    return this.#work
  }

  /** Counts work of another search, in assignments. */
  charge(work: number): void {
    this.#work += work
  }

  /** The number of variables and of entries of clauses. */
  get size(): number {
    return this.#gates.length + this.#arenaEnd
  }

  /** The positive literal of a new variable. */
  createVariable(): Literal {
    const variable = this.#gates.length
    if (variable >= this.#levels.length) this.#grow()
    this.#gates.push(undefined)
    return variable << 1
  }

  /** True, false, or undefined while it is open. */
  valueOf(literal: Literal): boolean | undefined {
    const value = this.#values[literal]
    return value === 0 ? undefined : value === 1
  }

  /** A literal that is true exactly when all of the given are. The same literals give the same gate. */
  and(literals: readonly Literal[]): Literal {
    const parts = new Set<Literal>()
    for (const literal of literals) {
      if (literal === FALSE || parts.has(negated(literal))) return FALSE
      if (literal !== TRUE) parts.add(literal)
    }
    if (parts.size === 0) return TRUE
    const children = [...parts]
    if (children.length === 1) return defined(children[0])
    const key = children.toSorted((left, right) => left - right).join()
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const gate = this.createVariable()
    this.#gates[gate >> 1] = children
    this.#known.set(key, gate)
    for (const child of children) this.addClause([negated(gate), child])
    this.addClause([gate, ...children.map(negated)])
    return gate
  }

  /** A literal that is true exactly when one of the given is. */
  or(literals: readonly Literal[]): Literal {
    return negated(this.and(literals.map(negated)))
  }

  /** Require one of the literals. */
  addClause(literals: readonly Literal[]): void {
    this.#backtrack(0)
    const open = this.#openLiterals(literals)
    if (open === undefined) return
    if (open.length > 1) {
      this.#storeClause(open)
      return
    }
    const [only] = open
    if (only === undefined) this.#isContradictory = true
    else {
      this.#assign(only, NO_CLAUSE)
      if (this.#propagate() !== NO_CLAUSE) this.#isContradictory = true
    }
  }

  /** The literals of a clause that may become true, each once; undefined: the clause is true. */
  #openLiterals(literals: readonly Literal[]): readonly Literal[] | undefined {
    const open: Literal[] = []
    let isTrue = false
    for (const literal of literals) {
      const value = this.#values[literal]
      isTrue ||= value === 1 || this.#marks[negated(literal)] === 1
      if (value !== 0 || this.#marks[literal] === 1) continue
      this.#marks[literal] = 1
      open.push(literal)
    }
    for (const literal of open) this.#marks[literal] = 0
    return isTrue ? undefined : open
  }

  /**
   * Whether all assumptions can hold together. After `satisfiable`, `valueOf` returns an assignment; open variables are
   * irrelevant. Consecutive questions with the same first assumptions share the work on these.
   */
  solve(assumptions: readonly Literal[], budget: number, check: Theory = CONSISTENT): Answer {
    this.#refused = undefined
    if (this.#isContradictory) return 'unsatisfiable'
    this.#keepCommonAssumptions(assumptions)
    const end = this.#work + budget
    let conflicts = 0
    let restartAfter = 64
    let frontier: Literal[] | undefined
    for (;;) {
      if (this.#work > end) return 'budget'
      const conflict = this.#propagate()
      if (conflict !== NO_CLAUSE) {
        if (this.#limits.length === 0) {
          this.#isContradictory = true
          return 'unsatisfiable'
        }
        this.#learn(conflict)
        frontier = undefined
        if (++conflicts >= restartAfter) {
          conflicts = 0
          restartAfter *= 1.5
          this.#backtrack(assumptions.length)
        }
        continue
      }
      if (this.#limits.length < assumptions.length) {
        const next = defined(assumptions[this.#limits.length])
        if (this.#values[next] === -1) {
          this.#refused = next
          return 'unsatisfiable'
        }
        this.#decide(next)
        continue
      }
      frontier ??= this.#frontierOf(assumptions)
      const decision = this.#nextDecision(frontier)
      if (decision !== undefined) {
        this.#decide(decision)
        continue
      }
      const depth = this.#limits.length
      const found = check()
      if (this.#limits.length < depth) {
        // The theory has added a clause, which takes the search back to its beginning.
        frontier = undefined
        this.#work += 1000
      } else if (found.kind === 'consistent') return 'satisfiable'
      else if (found.kind === 'decide') {
        this.#work += 100
        this.#decide(found.literal)
      } else {
        frontier = undefined
        if (!this.#refuse(found.clause)) return 'unsatisfiable'
      }
    }
  }

  /** Whether assumptions contradict each other at first sight, by propagation alone. Nothing is decided or learned. */
  areContradictory(assumptions: readonly Literal[]): boolean {
    this.#keepCommonAssumptions(assumptions)
    while (this.#propagate() === NO_CLAUSE) {
      const next = assumptions[this.#limits.length]
      if (next === undefined) return false
      if (this.#values[next] === -1) return true
      this.#decide(next)
    }
    this.#isContradictory ||= this.#limits.length === 0
    this.#backtrack(0)
    return true
  }

  /** Variables that the last answer rests on: the primitive ones that justify the assumptions. */
  justification(assumptions: readonly Literal[]): readonly Literal[] {
    const found: Literal[] = []
    this.#nextDecision(this.#frontierOf(assumptions), (literal) => found.push(literal))
    return found
  }

  #grow(): void {
    const variables = Math.max(LEAST_SIZE, this.#levels.length * 2)
    const literals = variables * 2
    this.#values = resized(this.#values, new Int8Array(literals))
    this.#levels = resized(this.#levels, new Int32Array(variables))
    this.#activity = resized(this.#activity, new Float64Array(variables))
    this.#seen = resized(this.#seen, new Uint8Array(variables))
    this.#visited = resized(this.#visited, new Uint32Array(variables))
    this.#reasons = resized(this.#reasons, new Int32Array(variables))
    this.#firstWatches = resized(this.#firstWatches, new Int32Array(literals))
    this.#lastWatches = resized(this.#lastWatches, new Int32Array(literals))
    this.#marks = resized(this.#marks, new Uint8Array(literals))
  }

  /** Begin a level with a literal that is not false. */
  #decide(literal: Literal): void {
    this.#limits.push(this.#trail.length)
    if (this.#values[literal] === 0) this.#assign(literal, NO_CLAUSE)
  }

  #assign(literal: Literal, reason: Clause): void {
    this.#values[literal] = 1
    this.#values[literal ^ 1] = -1
    this.#levels[literal >> 1] = this.#limits.length
    this.#reasons[literal >> 1] = reason
    this.#trail.push(literal)
    this.#work++
  }

  /** A clause of at least two literals, of which the first two are watched. */
  #storeClause(literals: readonly Literal[]): Clause {
    const clause = this.#arenaEnd
    this.#arenaEnd += LITERALS + literals.length
    if (this.#arenaEnd > this.#arena.length) this.#arena = resized(this.#arena, new Int32Array(this.#arenaEnd * 2))
    this.#arena[clause] = literals.length
    this.#arena.set(literals, clause + LITERALS)
    this.#watch(defined(literals[0]), clause)
    this.#watch(defined(literals[1]), clause)
    return clause
  }

  /** Appends a clause to the list of a literal that it watches. */
  #watch(literal: Literal, clause: Clause): void {
    const last = defined(this.#lastWatches[literal])
    if (last === NO_CLAUSE) this.#firstWatches[literal] = clause
    else this.#arena[this.#linkOf(last, literal)] = clause
    this.#lastWatches[literal] = clause
    this.#arena[this.#linkOf(clause, literal)] = NO_CLAUSE
  }

  /** Where a clause keeps its successor in the list of a watched literal. */
  #linkOf(clause: Clause, literal: Literal): number {
    return clause + (this.#arena[clause + LITERALS] === literal ? FIRST_LINK : SECOND_LINK)
  }

  #keepCommonAssumptions(assumptions: readonly Literal[]): void {
    let common = 0
    const most = Math.min(this.#assumed.length, assumptions.length, this.#limits.length)
    while (common < most && this.#assumed[common] === assumptions[common]) common++
    this.#backtrack(common)
    this.#assumed = [...assumptions]
  }

  #backtrack(level: number): void {
    if (this.#limits.length <= level) return
    const keep = defined(this.#limits[level])
    for (let index = this.#trail.length - 1; index >= keep; index--) {
      const literal = defined(this.#trail[index])
      this.#values[literal] = 0
      this.#values[literal ^ 1] = 0
    }
    shorten(this.#trail, keep)
    shorten(this.#limits, level)
    this.#head = Math.min(this.#head, keep)
  }

  /** A clause whose literals are all false, if there is one. */
  #propagate(): Clause {
    // The innermost loop of a search: it reads fields once.
    const arena = this.#arena
    const values = this.#values
    const trail = this.#trail
    while (this.#head < trail.length) {
      const falsified = defined(trail[this.#head++]) ^ 1
      let clause = defined(this.#firstWatches[falsified])
      let kept = NO_CLAUSE
      while (clause !== NO_CLAUSE) {
        if (arena[clause + LITERALS] === falsified) this.#exchangeWatches(clause)
        const next = defined(arena[clause + SECOND_LINK])
        const first = defined(arena[clause + LITERALS])
        const value = values[first]
        if (value === 1 || !this.#moveWatch(clause)) {
          if (kept === NO_CLAUSE) this.#firstWatches[falsified] = clause
          else arena[kept + SECOND_LINK] = clause
          kept = clause
          if (value === -1) {
            return clause
          }
          if (value === 0) this.#assign(first, clause)
        }
        clause = next
      }
      if (kept === NO_CLAUSE) this.#firstWatches[falsified] = NO_CLAUSE
      else arena[kept + SECOND_LINK] = NO_CLAUSE
      this.#lastWatches[falsified] = kept
    }
    return NO_CLAUSE
  }

  #exchangeWatches(clause: Clause): void {
    const arena = this.#arena
    const literal = defined(arena[clause + LITERALS])
    arena[clause + LITERALS] = defined(arena[clause + LITERALS + 1])
    arena[clause + LITERALS + 1] = literal
    const link = defined(arena[clause + FIRST_LINK])
    arena[clause + FIRST_LINK] = defined(arena[clause + SECOND_LINK])
    arena[clause + SECOND_LINK] = link
  }

  /** Replaces the second watch by another literal that may be true. Returns false if there is none. */
  #moveWatch(clause: Clause): boolean {
    const arena = this.#arena
    const values = this.#values
    const second = clause + LITERALS + 1
    const end = clause + LITERALS + defined(arena[clause])
    for (let index = second + 1; index < end; index++) {
      const literal = defined(arena[index])
      if (values[literal] === -1) continue
      arena[index] = defined(arena[second])
      arena[second] = literal
      this.#watch(literal, clause)
      return true
    }
    return false
  }

  /** Adds the clause of the first point through which all causes of the conflict pass, and goes back to where it acts. */
  #learn(conflict: Clause): void {
    const learned: Literal[] = [TRUE]
    const level = this.#limits.length
    const marked: number[] = []
    let open = 0
    let index = this.#trail.length - 1
    let reason = conflict
    let pivot: Literal | undefined
    do {
      for (const literal of this.#literalsOf(reason)) {
        const variable = literal >> 1
        if (literal === pivot || this.#seen[variable] === 1 || this.#levels[variable] === 0) continue
        this.#seen[variable] = 1
        marked.push(variable)
        this.#activity[variable]! += this.#bump
        if (this.#levels[variable] === level) open++
        else learned.push(literal)
      }
      while (this.#seen[defined(this.#trail[index]) >> 1] === 0) index--
      pivot = defined(this.#trail[index--])
      reason = defined(this.#reasons[pivot >> 1])
      open--
    } while (open > 0)
    learned[0] = negated(pivot)
    for (const variable of marked) this.#seen[variable] = 0
    this.#bump *= 1.05
    if (this.#bump > 1e20) this.#rescale()
    let back = 0
    for (let position = 1; position < learned.length; position++) {
      const found = defined(this.#levels[defined(learned[position]) >> 1])
      if (found <= back) continue
      back = found
      const moved = defined(learned[position])
      learned[position] = defined(learned[1])
      learned[1] = moved
    }
    this.#backtrack(back)
    this.#assign(negated(pivot), learned.length > 1 ? this.#storeClause(learned) : NO_CLAUSE)
  }

  #literalsOf(clause: Clause): Int32Array {
    const start = clause + LITERALS
    // `NO_CLAUSE` has no literals: the arena is 0 there.
    return this.#arena.subarray(start, start + defined(this.#arena[clause]))
  }

  #rescale(): void {
    for (let variable = 0; variable < this.#activity.length; variable++) this.#activity[variable]! *= 1e-20
    this.#bump *= 1e-20
  }

  /** Takes a clause of the theory whose literals are all false. False: nothing is left to try. */
  #refuse(literals: readonly Literal[]): boolean {
    let highest = 0
    for (const literal of literals) highest = Math.max(highest, defined(this.#levels[literal >> 1]))
    if (highest === 0) {
      this.#isContradictory = true
      return false
    }
    if (literals.length === 1) {
      this.addClause(literals)
      return !this.#isContradictory
    }
    this.#backtrack(highest)
    const sorted = literals.toSorted(
      (left, right) => defined(this.#levels[right >> 1]) - defined(this.#levels[left >> 1]),
    )
    this.#learn(this.#storeClause(sorted))
    return true
  }

  /** Assumptions, the refused one included, that lead to the contrary of it. */
  #coreOf(refused: Literal): readonly Literal[] {
    const core = [refused]
    const marked = new Set([refused >> 1])
    for (let index = this.#trail.length - 1; index >= 0; index--) {
      const literal = defined(this.#trail[index])
      if (!marked.has(literal >> 1) || this.#levels[literal >> 1] === 0) continue
      const reason = defined(this.#reasons[literal >> 1])
      if (reason === NO_CLAUSE) {
        if (literal !== negated(refused)) core.push(literal)
      } else for (const cause of this.#literalsOf(reason)) marked.add(cause >> 1)
    }
    return core
  }

  /** Gates that have to be justified, with none justified yet. */
  #frontierOf(assumptions: readonly Literal[]): Literal[] {
    this.#stamp++
    return [...assumptions]
  }

  /** A literal that would give the first gate without a cause its cause; undefined when all have one. */
  #nextDecision(open: Literal[], leaf?: (literal: Literal) => void): Literal | undefined {
    for (let literal = open.pop(); literal !== undefined; literal = open.pop()) {
      const variable = literal >> 1
      if (this.#visited[variable] === this.#stamp) continue
      const children = this.#gates[variable]
      if (children === undefined) {
        this.#visited[variable] = this.#stamp
        if (variable !== 0) leaf?.(literal)
      } else if ((literal & 1) === 0) {
        this.#visited[variable] = this.#stamp
        for (const child of children) open.push(child)
      } else {
        const cause = this.#causeOf(children)
        if (this.#values[cause] === 0) {
          open.push(literal)
          return cause
        }
        this.#visited[variable] = this.#stamp
        open.push(cause)
      }
    }
    return undefined
  }

  /** The literal that makes an AND of these false: one that is true already, or else the most active open one. */
  #causeOf(children: readonly Literal[]): Literal {
    let best: Literal | undefined
    let found: Literal | undefined
    for (const child of children) {
      const value = this.#values[child]
      if (value === -1) {
        if (this.#gates[child >> 1] === undefined || this.#visited[child >> 1] === this.#stamp) return negated(child)
        found ??= negated(child)
      } else if (value === 0) {
        if (best === undefined || this.#activity[child >> 1]! > this.#activity[best >> 1]!) best = negated(child)
      }
    }
    return defined(found ?? best)
  }
}

/** Popping is faster than setting the length, and usually there is nothing to do. */
function shorten(list: unknown[], length: number): void {
  while (list.length > length) list.pop()
}

function resized<Numbers extends Int8Array | Int32Array | Float64Array | Uint8Array | Uint32Array>(
  from: Numbers,
  to: Numbers,
): Numbers {
  to.set(from)
  return to
}
