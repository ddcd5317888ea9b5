import type { Problem } from '@engine/authoring'
import { type Place, pointer } from '@engine/ruleset'
import type { Loss } from './conversion-result.ts'

/** A loss without its place. */
export type LossText = Pick<Problem, 'code' | 'message' | 'suggestion'>

/** A place in a document that is not JSON: `path` names the part; line, column and length refer to the whole text. */
export type Where = Pick<Problem, 'path' | 'line' | 'column' | 'length'>

/** Maximum number of losses in one report; further ones are only counted. */
const MAX_COUNT = 1000

/** Collects the losses of one document. */
export class Losses {
  readonly #found: Loss[] = []
  readonly #shown = new Set<string>()
  #hidden = 0
  #hidesErrors = false

  /** The part is missing in the result. @param place its JSON pointer, or the position syntax of its format */
  error(place: Place | Where | string | undefined, text: LossText): undefined {
    this.add({ ...whereOf(place), ...text, severity: 'error' })
  }

  /** The part exists, but may decide differently for some inputs. */
  warn(place: Place | Where | string | undefined, text: LossText): void {
    this.add({ ...whereOf(place), ...text, severity: 'warning' })
  }

  /** The same decision in another form. */
  inform(place: Place | Where | string | undefined, text: LossText): void {
    this.add({ ...whereOf(place), ...text, severity: 'info' })
  }

  /** Reports a loss with its place, once: a part that several ways lead to is converted several times. */
  add(problem: Loss): void {
    const { path, line, column, code, message } = problem
    const key = [path, line, column, code, message].join('\n')
    if (this.#shown.has(key)) return
    if (this.#found.length < MAX_COUNT) {
      this.#shown.add(key)
      this.#found.push(problem)
    } else {
      this.#hidden++
      this.#hidesErrors ||= problem.severity === 'error'
    }
  }

  /** In the order in which they were added; the last one counts those omitted. */
  get lost(): readonly Loss[] {
    if (this.#hidden === 0) return this.#found
    const message = `${this.#hidden} more not shown`
    return [...this.#found, { path: '', code: 'more', message, severity: this.#hidesErrors ? 'error' : 'warning' }]
  }
}

function whereOf(place: Place | Where | string | undefined): Where {
  if (typeof place === 'string') return { path: place }
  return place !== undefined && 'path' in place ? place : { path: pointer(place) }
}
