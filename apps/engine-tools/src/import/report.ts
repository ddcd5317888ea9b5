import { junitText } from '@engine/authoring'
import type { DocumentReport, ImportReport } from '@engine/interchange'
import { placed } from '../problem.ts'
import { counted } from '../quantity.ts'

/** Places of one kind that are listed for people. */
const MAX_SHOWN = 10

const VERDICTS = { ready: '✓', review: '!', refused: '✗' } as const

/** For people: each document, the skipped files, then the reasons by kind. */
export function importText(report: ImportReport, skipped: readonly string[]): string {
  const { documents, reasons } = report
  const lines = [
    ...documents.flatMap(documentLines),
    ...skipped.map((file) => `- ${file}: skipped, it is a file of the project`),
    ...reasons.flatMap(({ severity, code, count, places }) => [
      '',
      `${severity} ${code}, ${counted(count, 'place')}`,
      ...places.slice(0, MAX_SHOWN).map((place) => `  ${placed(place.document, place)}`),
      ...(count > MAX_SHOWN ? [`  and ${count - MAX_SHOWN} more`] : []),
    ]),
  ]
  return [...lines, '', summaryText(report), ''].join('\n')
}

function documentLines({ document, verdict, rulesets, cases }: DocumentReport): readonly string[] {
  const failed = cases.filter(({ passed }) => !passed)
  const names = rulesets.length === 1 ? '' : `, ${counted(rulesets.length, 'ruleset')}`
  const run = cases.length === 0 ? '' : `, ${cases.length - failed.length} of ${counted(cases.length, 'case')} passed`
  return [
    `${VERDICTS[verdict]} ${document}: ${verdict}${names}${run}`,
    ...failed.flatMap(({ name, failures }) => [`  ✗ ${name}`, ...failures.map((failure) => `      ${failure}`)]),
  ]
}

function summaryText({ summary: { documents, ready, review, refused, cases, failed } }: ImportReport): string {
  const mark = refused + failed === 0 ? '✓' : '✗'
  const run =
    cases === 0 ? 'no cases' : `${counted(cases, 'case')}, ${failed === 0 ? 'none failed' : `${failed} failed`}`
  return `${mark} ${counted(documents, 'document')}: ${ready} ready, ${review} to review, ${refused} refused; ${run}`
}

/** For programs: the report of the platform's `POST imports`, and the skipped files. */
export function importJson(report: ImportReport, skipped: readonly string[]): string {
  return `${JSON.stringify({ ...report, skipped }, undefined, 2)}\n`
}

/** For build servers: a suite for each document. */
export function importJunit({ documents, reasons }: ImportReport): string {
  const errors = reasons.filter(({ severity }) => severity === 'error').flatMap(({ places }) => places)
  return junitText(
    documents.map(({ document, verdict, cases }) => {
      const own = errors.filter((place) => place.document === document).map((place) => placed(document, place))
      // Only the first places of a kind are listed.
      const failures = verdict === 'refused' && own.length === 0 ? ['refused'] : own
      return {
        name: document,
        tests: [
          { name: 'is imported', duration: 0, failures },
          ...cases.map(({ name, failures: found }) => ({ name, duration: 0, failures: found })),
        ],
      }
    }),
  )
}
