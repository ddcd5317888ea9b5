import type { Numbers } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConformanceData, dataOf } from './conformance-data.testing.ts'

/** The text of a file of `conformance/`. */
export const dataText = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../conformance/${name}.json`), 'utf8')

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the form of the file
export const readData = <Data extends ConformanceData<unknown>>(name: string, numbers?: Numbers): Data =>
  dataOf<Data>(dataText(name), numbers)
