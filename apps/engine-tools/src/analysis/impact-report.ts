import { type Diff, type GateResult, type Impact, type Region, type Side, witnessText } from '@engine/analysis'
import { junitText } from '@engine/authoring'
import { quoteCode, stringifyJson } from '@engine/expression'
import { sarifResult, sarifText } from '../sarif.ts'
import { codeCell } from './finding-report.ts'

/** 1 with a gate that is violated or not proved, else 3 with `--strict` and something unknown, else 0. */
export function impactExitCode({ diff, gates }: Impact, isStrict: boolean): number {
  if (gates.some(({ verdict }) => verdict !== 'proved')) return 1
  return isStrict && (diff.verdict === 'unknown' || diff.unknown.length > 0 || diff.truncated) ? 3 : 0
}

/** For people. */
export function impactText({ diff, probes, records, gates }: Impact): string {
  const lines = [
    verdictText(diff),
    ...diff.regions.flatMap((region) => [`  ${regionText(region)}`, `    input ${witnessText(region.witness)}`]),
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
  for (const one of gates) lines.push(`${one.verdict === 'proved' ? '✓' : '✗'} ${gateText(one)}`)
  return `${lines.join('\n')}\n`
}

/** The verdict with its proof. */
function verdictText({ verdict, regions, unknown, truncated }: Diff): string {
  if (verdict === 'equivalent') return `${verdict}: no input is decided otherwise (proved)`
  const isExact = regions.length > 0 && regions.every(({ complete }) => complete) && unknown.length === 0 && !truncated
  return isExact ? `${verdict}: these inputs change, and no others (proved)` : verdict
}

function regionText(region: Region): string {
  return `${conditionText(region)}: ${sideText(region.before)} -> ${sideText(region.after)}`
}

function conditionText({ condition, complete }: Region): string {
  return complete ? condition : `${condition} and perhaps others`
}

function sideText(side: Side): string {
  if ('error' in side) return `error ${side.error.code}`
  const output = Object.keys(side.output).length === 0 ? '' : ` ${stringifyJson(side.output)}`
  return `${side.code}${output}`
}

/** For programs. */
export function impactJson(impact: Impact): string {
  return `${stringifyJson(impact)}\n`
}

/** For build servers: each gate is a test. */
export function impactJunit({ diff, gates }: Impact, file: string): string {
  const tests = gates.map((one) => ({
    name: one.gate,
    duration: 0,
    failures: one.verdict === 'proved' ? [] : [gateText(one)],
  }))
  const compared = { name: `is compared: ${diff.verdict}`, duration: 0, failures: [] }
  return junitText([{ name: file, tests: [compared, ...tests] }])
}

const RULES = ['gate', 'difference', 'unknown']

/** For code scanning: an error for each gate that is not met, a note for each difference and each open question. */
export function impactSarif({ diff, gates }: Impact, file: string): string {
  const witnessed = (witness: GateResult['witness']) => witness && { properties: { witness: { ...witness } } }
  return sarifText(
    'engine impact',
    RULES.map((id) => ({ id })),
    [
      ...gates
        .filter(({ verdict }) => verdict !== 'proved')
        .map((one) =>
          sarifResult({ file, ruleId: 'gate', level: 'error', message: gateText(one), ...witnessed(one.witness) }),
        ),
      ...diff.regions.map((region) =>
        sarifResult({
          file,
          ruleId: 'difference',
          level: 'note',
          message: regionText(region),
          ...witnessed(region.witness),
        }),
      ),
      ...diff.unknown.map(({ place, reason }) =>
        sarifResult({ file, ruleId: 'unknown', level: 'note', message: `${quoteCode(place)} ${reason}`, place }),
      ),
    ],
  )
}

function gateText({ gate, verdict, witness }: GateResult): string {
  return `${gate}: ${verdict}${witness === undefined ? '' : `, input ${witnessText(witness)}`}`
}

/** For a comment on a pull request. */
export function impactMarkdown({ diff, records, gates }: Impact): string {
  const rows = diff.regions.map(
    ({ condition, complete, before, after, witness }) =>
      `| ${codeCell(condition)}${complete ? '' : ' and perhaps others'} | ${codeCell(sideText(before))} | ${codeCell(sideText(after))} | ${codeCell(witnessText(witness))} |`,
  )
  return [
    `### ${verdictText(diff)}`,
    '',
    ...(rows.length === 0 ? [] : ['| where | before | after | input |', '|---|---|---|---|', ...rows, '']),
    `Only adds: ${diff.only_adds}. Only removes: ${diff.only_removes}. No new failure: ${diff.no_new_failure}.`,
    ...(diff.unknown.length === 0 ? [] : [`Unknown: ${diff.unknown.length} places.`]),
    ...(records === undefined ? [] : [`${records.changed} of ${records.replayed} recorded decisions change.`]),
    ...gates.map(({ gate, verdict }) => `- ${verdict === 'proved' ? '✓' : '✗'} ${codeCell(gate)}: ${verdict}`),
    '',
  ].join('\n')
}
