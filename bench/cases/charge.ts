import { CHARGED, measureCase } from '../../packages/expression/src/charges.testing.ts'
import { table } from '../measure.ts'

/** Items and characters of the inputs: with more, what some of them make is too large. */
const SIZE = 150_000
/** Cases that charge less only measure the call itself. */
const MIN_UNITS = 1000

/** Nanoseconds of processor time for each unit of work that functions, operators and paths charge; about 25 is meant. */
export function charge(): void {
  const rows = CHARGED.flatMap((one) =>
    measureCase(one, SIZE, 5)
      .filter(({ units }) => units >= MIN_UNITS)
      .map(({ mode, nanoseconds, units, bytes }) => [
        one.expression,
        mode,
        nanoseconds / 1e6,
        units,
        nanoseconds / units,
        bytes / 2 ** 20,
      ]),
  ).sort((left, right) => Number(right[4]) - Number(left[4]))
  table(['expression', 'way', 'ms', 'units', 'ns a unit', 'MiB charged'], rows)
}
