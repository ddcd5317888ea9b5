import {
  BudgetError,
  CountedBudget,
  type Expression,
  nearest,
  parsePath,
  printPath,
  read,
  type Type,
  walk,
} from '@engine/expression'
import { at, type Place, pointer } from '@engine/ruleset'
import type { DraftGraph } from '../draft/model.ts'
import { messages, type Report } from '../problem.ts'

/** The fields that a contract declares, for the expressions that read its input. */
export interface DeclaredFields {
  /** By canonical path. */
  readonly types: ReadonlyMap<string, Type>
  /** Whether a path is declared, leads into a declared field, or holds one. */
  allows(path: string): boolean
}

/** Where something of the engine's document comes from. */
export interface Source {
  readonly place: Place | undefined
  readonly stepId: string | undefined
}

/** What the graphs of one conversion share. */
export interface Shared {
  /** By pointer into the engine's document. */
  readonly sources: Map<string, Source>
  readonly templates: boolean
  /** A name for a variable that no expression of the draft reads or sets. */
  freshVariable(wanted: string): string
}

/** Units of work to check one expression, as the engine's decoder has it. */
const MOST_CHECKING = 20_000_000
/** Step ids that one conversion compares in search of suggestions. */
const MOST_COMPARISONS = 20_000

/** The steps of one graph while they are converted: what they may lead to, and where their problems go. */
export class Scope {
  readonly shared: Shared
  readonly report: Report
  /** Of the graph's steps in the engine's document. */
  readonly engine: Place
  readonly #ids: Set<string>
  readonly #fields: DeclaredFields | undefined
  #comparisonsLeft = MOST_COMPARISONS

  /** Where everything of the graph stands, when it is not part of the draft. */
  readonly #fixed: Place | undefined

  constructor(
    shared: Shared,
    report: Report,
    engine: Place,
    graph: DraftGraph,
    { fields, fixed }: { readonly fields: DeclaredFields | undefined; readonly fixed: Place | undefined },
  ) {
    this.#fixed = fixed
    this.shared = shared
    this.report = report
    this.engine = engine
    this.#ids = new Set(graph.steps.map(({ id }) => id))
    this.#fields = fields
  }

  /** Notes where a part of the engine's document comes from. */
  note(engine: Place, place: Place | undefined): void {
    this.shared.sources.set(pointer(engine), { place: this.#fixed ?? place, stepId: this.report.stepId })
  }

  /** An id for a step that the draft does not have. */
  freshId(wanted: string): string {
    let id = wanted
    for (let number = 2; this.#ids.has(id); number++) id = `${wanted}${number}`
    this.#ids.add(id)
    return id
  }

  /** The id of the next step; undefined after a problem. */
  target(place: Place, id: string | undefined): string | undefined {
    if (id === undefined || id === '') return this.report.error(place, messages.noTarget())
    if (this.#ids.has(id)) return id
    this.#comparisonsLeft -= this.#ids.size
    return this.report.error(
      place,
      messages.unknownStep(id, this.#comparisonsLeft < 0 ? undefined : nearest(id, this.#ids)),
    )
  }

  /** The text of an expression, or `null` after its problems, so that those of its surroundings are found too. */
  expression(place: Place, text: string | undefined): string {
    if (text === undefined || text.trim() === '') {
      this.report.error(place, messages.emptyExpression())
      return 'null'
    }
    return this.checked(place, text, text) === undefined ? 'null' : text
  }

  /**
   * The expression of `text`, of which the characters from `offset` on stand in `whole`, the text at `place`; undefined
   * after its problems. `limit` is the length of what stands there: a problem outside of it is one of all of `whole`.
   */
  checked(place: Place, text: string, whole: string, written = { start: 0, end: text.length, inCell: 0 }) {
    const spanOf = ({ at: { start, end } }: { readonly at: { readonly start: number; readonly end: number } }) =>
      start < written.start || start > written.end
        ? { start: 0, end: whole.length }
        : {
            start: start - written.start + written.inCell,
            end: Math.min(end, written.end) - written.start + written.inCell,
          }
    const found = this.#read(text, (problem) => this.report.within(place, whole, problem, spanOf(problem), 'warning'))
    if (found === undefined) return undefined
    if ('problems' in found) {
      for (const problem of found.problems) this.report.within(place, whole, problem, spanOf(problem), 'error')
      return undefined
    }
    this.#declared(place, whole, found.expression, spanOf)
    return found.expression
  }

  #read(text: string, warn: NonNullable<Parameters<typeof read>[1]>['warn'] & {}) {
    const fields = this.#fields === undefined ? {} : { fields: this.#fields.types }
    try {
      return read(text, { budget: new CountedBudget(MOST_CHECKING), warn, ...fields })
    } catch (error) {
      // The engine's decoder names it, and its problem is told at the place of this expression.
      if (error instanceof BudgetError) return undefined
      throw error
    }
  }

  #declared(
    place: Place,
    whole: string,
    expression: Expression,
    spanOf: (problem: { readonly at: Expression['span'] }) => Expression['span'],
  ): void {
    const fields = this.#fields
    if (fields === undefined) return
    walk(expression, (node) => {
      if (node.kind !== 'field') return
      const path = printPath(node)
      if (fields.allows(path)) return
      const text = messages.undeclaredField(path, nearest(path, fields.types.keys()))
      this.report.within(place, whole, { ...text, at: node.span }, spanOf({ at: node.span }), 'error')
    })
  }
}

/** The canonical text of a field's path; undefined: it is none. */
export function fieldPath(text: string): string | undefined {
  const parsed = parsePath(text)
  return parsed.kind === 'parsed' && parsed.expression.kind === 'field' ? printPath(parsed.expression) : undefined
}

/** The place of a member of a member. */
export function below(place: Place | undefined, ...keys: readonly (string | number)[]): Place {
  return keys.reduce<Place | undefined>((parent, key) => at(parent, key), place) as Place
}
