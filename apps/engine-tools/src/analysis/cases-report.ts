import type { GeneratedCase } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import { cell, codeCell } from './finding-report.ts'

/** A file of cases. */
export function casesJson(cases: readonly GeneratedCase[]): string {
  const written = cases.map(({ now, ...one }) => ({ ...one, ...(now !== undefined && { now: isoTime(now) }) }))
  return `${stringifyJson(written)}\n`
}

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** For people. */
export function casesText(cases: readonly GeneratedCase[]): string {
  return cases.map((one) => `${one.name}\n  input    ${inputText(one)}\n  expected ${expectationText(one)}\n`).join('')
}

/** For a comment on a pull request, to confirm the expectations. */
export function casesMarkdown(cases: readonly GeneratedCase[]): string {
  const rows = cases.map(
    (one) => `| ${cell(one.name)} | ${codeCell(inputText(one))} | ${codeCell(expectationText(one))} |`,
  )
  return ['| case | input | expected |', '|---|---|---|', ...rows, ''].join('\n')
}

function inputText({ input, stubs }: GeneratedCase): string {
  const text = stringifyJson(input)
  return stubs === undefined ? text : `${text} with stubs ${stringifyJson(stubs)}`
}

function expectationText({ expect }: GeneratedCase): string {
  if ('error' in expect) return `error ${expect.error}`
  return Object.keys(expect.output).length === 0 ? expect.code : `${expect.code} ${stringifyJson(expect.output)}`
}
