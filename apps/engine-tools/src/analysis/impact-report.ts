import type { Impact, Side } from '@engine/analysis'
import { quoteCode, stringifyJson } from '@engine/expression'
import { codeCell, witnessText } from './finding-report.ts'

/** 1 with a gate that is violated or not proved, else 3 with `--strict` and something unknown, else 0. */
export function impactExitCode({ diff, gates }: Impact, isStrict: boolean): number {
  if (gates.some(({ verdict }) => verdict !== 'proved')) return 1
  return isStrict && (diff.verdict === 'unknown' || diff.unknown.length > 0 || diff.truncated) ? 3 : 0
}

/** For people. */
export function impactText({ diff, probes, records, gates }: Impact): string {
  const lines = [
    `${diff.verdict}${diff.verdict === 'equivalent' ? ': no input is decided otherwise (proved)' : ''}`,
    ...diff.regions.flatMap(({ condition, before, after, witness }) => [
      `  ${condition}: ${sideText(before)} -> ${sideText(after)}`,
      `    input ${witnessText(witness)}`,
    ]),
    ...(diff.truncated ? ['  the budget ended before everything was compared'] : []),
    ...diff.unknown.map(({ place, reason }) => `  unknown: ${quoteCode(place)} ${reason}`),
    `only adds: ${diff.only_adds}, only removes: ${diff.only_removes}, no new failure: ${diff.no_new_failure}`,
    ...(probes.asked === 0
      ? []
      : [`${probes.asked} inputs near constants were executed, ${probes.changed} of them change`]),
  ]
  if (records !== undefined) {
    const { total, replayed, changed, share, interval } = records
    const percent = (value: number): string => `${+(value * 100).toPrecision(3)} %`
    lines.push(
      `${replayed} of ${total} records replayed, ${changed} change: ${percent(share)} (${percent(interval[0])} to ${percent(interval[1])})`,
      ...records.transitions.map(({ from, to, count }) => `  ${from} -> ${to}: ${count}`),
      ...records.not_replayed.map(({ reason, count }) => `  not replayed: ${count}, ${reason}`),
      ...records.amounts.map(
        ({ output, before, after, largest }) =>
          `  ${output}: sum ${before.sum} -> ${after.sum}, largest change ${largest.change}`,
      ),
    )
  }
  for (const { gate, verdict, witness } of gates)
    lines.push(
      `${verdict === 'proved' ? '✓' : '✗'} ${gate}: ${verdict}${witness === undefined ? '' : `, input ${witnessText(witness)}`}`,
    )
  return `${lines.join('\n')}\n`
}

function sideText(side: Side): string {
  if ('error' in side) return `error ${side.error.code}`
  const output = Object.keys(side.output).length === 0 ? '' : ` ${stringifyJson(side.output)}`
  return `${side.code}${output}`
}

/** For programs. */
export function impactJson(impact: Impact): string {
  return `${stringifyJson(impact as never)}\n`
}

/** For a comment on a pull request. */
export function impactMarkdown({ diff, records, gates }: Impact): string {
  const rows = diff.regions.map(
    ({ condition, before, after, witness }) =>
      `| ${codeCell(condition)} | ${codeCell(sideText(before))} | ${codeCell(sideText(after))} | ${codeCell(witnessText(witness))} |`,
  )
  return [
    `### ${diff.verdict}`,
    '',
    ...(rows.length === 0 ? [] : ['| where | before | after | input |', '|---|---|---|---|', ...rows, '']),
    `Only adds: ${diff.only_adds}. Only removes: ${diff.only_removes}. No new failure: ${diff.no_new_failure}.`,
    ...(diff.unknown.length === 0 ? [] : [`Unknown: ${diff.unknown.length} places.`]),
    ...(records === undefined ? [] : [`${records.changed} of ${records.replayed} recorded decisions change.`]),
    ...gates.map(({ gate, verdict }) => `- ${verdict === 'proved' ? '✓' : '✗'} ${codeCell(gate)}: ${verdict}`),
    '',
  ].join('\n')
}
