import { quoteCode, stringifyJson } from '@engine/expression'
import { placed } from '../problem.ts'
import { counted } from '../quantity.ts'
import type { NumbersReport } from './check-numbers.ts'

/** Changed decisions that the report for people lists; the JSON report has all. */
const MAX_LISTED = 20

/** For people. */
export function numbersText(report: NumbersReport): string {
  const { file, numbers, places, problems, warnings, decided, changed, passing, broken, written, signed } = report
  if (numbers === 'decimal') return `✓ ${file} computes with decimals\n`
  const lines = [
    places.length === 0
      ? `✓ ${file} computes no fractions`
      : `✗ ${file} computes fractions with doubles in ${counted(places.length, 'place')}`,
    ...places.flatMap(({ path, line, column, expression, part, why }) => {
      const place = { path, message: why, ...(line === undefined ? {} : { line, column: column ?? 1 }) }
      const whole = part === expression ? '' : `, in ${quoteCode(expression)}`
      return [`  ${placed(file, place)}`, `    ${quoteCode(part)}${whole}`]
    }),
    ...problems.map((problem) => `✗ with decimals an engine would refuse it: ${placed(file, problem)}`),
    ...warnings.map((problem) => `warning: with decimals: ${placed(file, problem)}`),
    ...(decided === 0 ? [] : [`${changed.length} of ${counted(decided, 'input')} decide differently with decimals`]),
    ...changed
      .slice(0, MAX_LISTED)
      .flatMap(({ source, double, decimal }) => [`  ${source}`, `    double   ${double}`, `    decimal  ${decimal}`]),
    ...(changed.length > MAX_LISTED ? [`  and ${changed.length - MAX_LISTED} more: \`--json\` lists all`] : []),
    ...(broken.length === 0
      ? []
      : [`✗ ${broken.length} of ${counted(passing, 'passing case')} would fail: ${broken.join(', ')}`]),
    ...(written ? [`✓ ${file} now computes with decimals${signed ? ': sign it again' : ''}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** For programs. */
export function numbersJson(report: NumbersReport): string {
  return `${stringifyJson(report)}\n`
}
