/**
 * How many generated cases a test runs, and from which seed: the one place that decides, for all workspaces.
 *
 * | variable | effect |
 * |---|---|
 * | none | a tenth of the cases or less, from a new seed |
 * | `CI` | as many, from {@link CI_SEED} |
 * | `CASES=all` | a full run: all cases, rounds and callers, and the platform's API on PGlite as well |
 * | `CASES=n` | n cases in each test that generates them |
 * | `SEED=n` | the cases of an earlier run: each test prints its seed |
 */

/** Whether all cases are run. */
export const IS_FULL_RUN = process.env['CASES'] === 'all'

/**
 * The seed of build servers, so that no old defect rejects a change. `.ci/run` then runs the cases of a new seed and
 * reports failures.
 */
const CI_SEED = 20_261_129

/** The seed of this run, and with it of every generator in this process. */
export const SEED =
  wholeNumber('SEED') ?? (process.env['CI'] === undefined ? 1 + Math.floor(Math.random() * (2 ** 31 - 1)) : CI_SEED)

/**
 * The number of cases to run where a full run has `all`.
 *
 * @param share of them, one in so many, in a run that is not full: a tenth, less where that would take more than two seconds
 */
export function casesOf(all: number, share = 10): number {
  if (IS_FULL_RUN) return all
  return wholeNumber('CASES') ?? Math.ceil(all / share)
}

/** The time limit of a test that grows with its number of cases, in milliseconds. @param each that of one case on a busy machine */
export function limitOf(cases: number, each: number): number {
  return 180_000 + cases * each
}

/** The same for fast-check. */
export function casesOfProperty(all: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: casesOf(all), seed: SEED }
}

/** Prints how to run the cases of a test again. */
export function printSeed(cases: number): void {
  console.log(`SEED=${SEED} CASES=${cases} runs the same cases again`)
}

function wholeNumber(variable: string): number | undefined {
  const text = process.env[variable]
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number >= 2 ** 31)
    throw new Error(`${variable} must be a whole number from 1 to ${2 ** 31 - 1}, not \`${text}\``)
  return number
}
