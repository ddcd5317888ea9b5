import { cellOf } from '../feel/cell.ts'
import { type Feel, FeelFault } from '../feel/ast.ts'
import { parseFeel, parseUnaryTests } from '../feel/parser.ts'
import type { FeelScope } from '../feel/scope.ts'
import { writeValue } from '../feel/write.ts'
import { lostExpression, lostTest } from '../placeholder.ts'
import type { XmlElement } from '../xml/tree.ts'
import type { BoxedLogic } from './boxed-logic.ts'
import { type DmnReport, textOf } from './definitions.ts'
import { foreignLanguageOf } from './language.ts'
import { dmnLosses } from './losses.ts'

/** An element with FEEL text, its position in the decision, and the names in scope. */
export interface FeelText {
  readonly element: XmlElement
  readonly path: readonly (string | number)[]
  readonly scope: FeelScope
  readonly report: DmnReport
  /** Names of the outputs of required decisions. */
  readonly required: ReadonlySet<string>
}

/** The converted text of an element, or a placeholder when it cannot be converted. */
export interface Carried {
  readonly text: string
  /** Undefined when it was lost, and for a test. */
  readonly feel?: Feel
}

/** Converts an expression, with a warning if it may decide differently. */
export function carriedValue(given: FeelText): Carried {
  const original = textOf(given.element)
  return orLost(given, original, lostExpression, () => written(given, parseFeel(original, given.scope)))
}

/** Converts a boxed expression, with a warning if it may decide differently. */
export function carriedLogic(given: FeelText, boxed: BoxedLogic): Carried {
  const { element, path, scope, report } = given
  try {
    return written(given, boxed.feelOf(element, scope))
  } catch (error) {
    if (!(error instanceof FeelFault)) throw error
    report.error(element, path, dmnLosses.logic(element.local, error.message))
    return { text: lostExpression(element.local) }
  }
}

function written(given: FeelText, feel: Feel): Carried {
  const { element, path, scope, report } = given
  const { text, deviations, names } = writeValue(feel, scope)
  reportNames(given, names)
  for (const deviation of deviations) report.warn(element, path, dmnLosses[deviation]())
  return { text, feel }
}

/** Converts an input entry to a cell of a column with this path. */
export function carriedTest(given: FeelText, field: string): Carried {
  const original = textOf(given.element)
  return orLost(given, original, lostTest, () => {
    const { text, names } = cellOf(field, parseUnaryTests(original, given.scope), given.scope)
    reportNames(given, names)
    return { text }
  })
}

/**
 * Undeclared names count as input fields, because some models declare none. Some programs name a required decision by
 * its output: that is reported as lost, since the standard does not allow it.
 */
function reportNames({ element, path, scope, report, required }: FeelText, names: Iterable<string>): void {
  for (const name of scope.newlyUndeclared(names))
    if (required.has(name)) report.error(element, path, dmnLosses.outputName(name))
    else report.warn(element, path, dmnLosses.undeclaredName(name))
}

/** A list of literals, `"high", "low"`, in our syntax; undefined when it is anything else. */
export function literalList(text: string, scope: FeelScope): readonly string[] | undefined {
  try {
    const { tests, isNegated } = parseUnaryTests(text, scope)
    const literals = tests.map((test) =>
      test.kind === 'comparison' && test.operator === '=' ? writeValue(test.value, scope).text : undefined,
    )
    return !isNegated && literals.every((one) => one !== undefined) ? literals : undefined
  } catch (error) {
    if (error instanceof FeelFault) return undefined
    throw error
  }
}

function orLost(
  { element, path, report }: FeelText,
  original: string,
  placeholder: (original: string) => string,
  read: () => Carried,
): Carried {
  const language = foreignLanguageOf(element)
  if (language !== undefined) {
    report.error(element, path, dmnLosses.language(language))
    return { text: placeholder(original) }
  }
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FeelFault)) throw error
    report.error(element, path, dmnLosses.feel(original, error.message))
    return { text: placeholder(original) }
  }
}
