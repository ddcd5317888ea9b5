import {
  BudgetError,
  CountedBudget,
  type Expression,
  type Field,
  nearest,
  type Numbers,
  printPath,
  read,
  type Span,
} from '@engine/expression'
import { type Place, pointer } from '@engine/ruleset'
import type { DraftGraph } from '../draft/model.ts'
import { messages, type Report } from '../problem.ts'
import type { DeclaredFields } from './declared-types.ts'
import { outsideValues, type Read } from './outside-values.ts'

/** The origin of a part of the engine document. */
export interface Source {
  readonly place: Place | undefined
  readonly stepId: string | undefined
  /** For an action that lists matching rows: the rows, in list order. */
  readonly rows?: readonly Place[]
  /** True for a default that the draft does not state. */
  readonly isImplied?: true
}

/** State shared by the graphs of one conversion. */
export interface Shared {
  /** By pointer into the engine document. */
  readonly sources: Map<string, Source>
  readonly templates: boolean
  /** The kind of numbers of its expressions. */
  readonly numbers: Numbers
  /** A variable name that the draft does not use. */
  freshVariable(wanted: string): string
}

/** Units of work to check one expression, as in the engine's decoder. */
const MAX_CHECKING = 20_000_000
/** Maximum number of step ids compared for suggestions in one conversion. */
const MAX_COMPARISONS = 20_000
/** The same limit for contract fields. */
const MAX_FIELD_COMPARISONS = 1_000_000

/** The conversion state of one graph: its step ids, and where its problems are reported. */
export class Scope {
  readonly shared: Shared
  readonly report: Report
  /** Place of the graph's steps in the engine document. */
  readonly engine: Place
  readonly #ids: Set<string>
  readonly #fields: DeclaredFields | undefined
  #comparisonsLeft = MAX_COMPARISONS
  #fieldComparisonsLeft = MAX_FIELD_COMPARISONS

  /** The place reported for the whole graph, when it is not part of the draft. */
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

  /** Records the origin of a part of the engine document. */
  note(engine: Place, place: Place | undefined): void {
    this.shared.sources.set(pointer(engine), { place: this.#fixed ?? place, stepId: this.report.stepId })
  }

  /** Records the draft rows whose matches an action lists. */
  noteRows(engine: Place, rows: readonly { readonly place: Place }[]): void {
    const source = this.shared.sources.get(pointer(engine))
    if (source !== undefined && this.#fixed === undefined)
      this.shared.sources.set(pointer(engine), { ...source, rows: rows.map(({ place }) => place) })
  }

  /** Records that the draft does not state a default. */
  noteImplied(engine: Place): void {
    const source = this.shared.sources.get(pointer(engine))
    if (source !== undefined) this.shared.sources.set(pointer(engine), { ...source, isImplied: true })
  }

  /** A step id that the draft does not use. */
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

  /** The text of an expression, or `null` after its problems, so that problems around it are found too. */
  expression(place: Place, text: string | undefined): string {
    if (text === undefined || text.trim() === '') {
      this.report.error(place, messages.emptyExpression())
      return 'null'
    }
    return this.checked(place, text, text) === undefined ? 'null' : text
  }

  /**
   * The expression of `text`, whose characters from `offset` on are in `whole`, the text at `place`; undefined after
   * its problems. `limit` is the length of the shared part: a problem outside it is reported for all of `whole`.
   */
  checked(place: Place, text: string, whole: string, written = { start: 0, end: text.length, inCell: 0 }) {
    const spanOf = ({ at: { start, end } }: { readonly at: { readonly start: number; readonly end: number } }) =>
      start < written.start || start > written.end
        ? { start: 0, end: whole.length }
        : {
            start: start - written.start + written.inCell,
            end: Math.min(end, written.end) - written.start + written.inCell,
          }
    const reads: Read[] = []
    const found = this.#read(text, reads, (problem) =>
      this.report.within(place, whole, problem, spanOf(problem), 'warning'),
    )
    if (found === undefined) return undefined
    if ('problems' in found) {
      for (const problem of found.problems) this.report.within(place, whole, problem, spanOf(problem), 'error')
      return undefined
    }
    if (this.#fields !== undefined) this.#hold(place, whole, found.expression, reads, this.#fields, spanOf)
    return found.expression
  }

  #read(text: string, reads: Read[], warn: NonNullable<Parameters<typeof read>[1]>['warn'] & {}) {
    const fields = this.#fields
    const declared =
      fields === undefined
        ? {}
        : {
            typeAt: (path: Field['path']) => fields.typeAt(path),
            reads: (path: Field['path'], span: Span) => void reads.push({ path, span }),
          }
    try {
      const { numbers } = this.shared
      return read(text, { budget: new CountedBudget(MAX_CHECKING), numbers, warn, ...declared })
    } catch (error) {
      // The engine's decoder reports it, and the problem appears at this expression's place.
      if (error instanceof BudgetError) return undefined
      throw error
    }
  }

  /** Checks an expression against the contract: undeclared fields, and impossible values. */
  #hold(
    place: Place,
    whole: string,
    expression: Expression,
    reads: readonly Read[],
    fields: DeclaredFields,
    spanOf: (problem: { readonly at: Span }) => Span,
  ): void {
    const undeclared = new Set<string>()
    for (const { path, span } of reads) {
      if (fields.declares(path)) continue
      const shown = printPath({ kind: 'field', path, span })
      // Items of an undeclared list were reported with the list.
      const isItem = Array.from(shown.matchAll(/\[/g), ({ index }) => shown.slice(0, index)).some((list) =>
        undeclared.has(list),
      )
      if (isItem) continue
      undeclared.add(shown)
      const text = messages.undeclaredField(shown, this.#nearestField(shown, fields))
      this.report.within(place, whole, { ...text, at: span }, spanOf({ at: span }), 'error')
    }
    for (const { at: span, ...text } of outsideValues(expression, fields, reads))
      this.report.within(place, whole, { ...text, at: span }, spanOf({ at: span }), 'warning')
  }

  #nearestField(path: string, { names }: DeclaredFields): string | undefined {
    this.#fieldComparisonsLeft -= names.size
    return this.#fieldComparisonsLeft < 0 ? undefined : nearest(path, names)
  }
}
