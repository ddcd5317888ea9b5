import type { DraftFinding } from '../../language/tasks.ts'
import type { RowMark } from '../../table-editor/grid-row.tsx'
import type { Texts } from '../../texts/en.ts'
import type { OpenGraph } from '../../session/open-graph.ts'
import { findingText } from './finding-words.ts'

const KINDS: Readonly<Partial<Record<DraftFinding['kind'], RowMark['kind']>>> = {
  shadowed: 'never',
  dead_branch: 'never',
  can_fail: 'fails',
  overlap: 'also',
}

/** Findings for the table rows of the open graph, by row index. Linear in the findings. */
export function marksOf(
  { draft, prefix }: OpenGraph,
  table: string,
  findings: readonly DraftFinding[],
  words: Texts['findings'],
): ReadonlyMap<number, RowMark> {
  const begin = `${prefix}/steps/${draft.steps.findIndex(({ id }) => id === table)}/rows/`
  // The first finding of a row marks it.
  return new Map(
    findings.toReversed().flatMap((finding): readonly (readonly [number, RowMark])[] => {
      const kind = KINDS[finding.kind]
      // A remark that an unusual input fails does not mark its row.
      if (kind === undefined || (kind === 'fails' && finding.severity === 'info') || !finding.path.startsWith(begin))
        return []
      const row = Number.parseInt(finding.path.slice(begin.length), 10)
      return [[row, { kind, title: `${words.kinds[finding.kind]}. ${findingText(finding, draft, words)}` }]]
    }),
  )
}
