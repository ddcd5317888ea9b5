import type { Coverage } from '@engine/authoring'
import { useTexts } from '../texts/texts.tsx'

/** The number of steps, branches and rows of a ruleset that its tests reach. */
export function CoverageTags({ coverage }: { readonly coverage: Coverage }) {
  const { tests: texts } = useTexts()
  return (['steps', 'branches', 'rows'] as const).map((kind) => {
    const { covered, total, missing } = coverage[kind]
    return total === 0 ? null : (
      <span key={kind} className="tag tnum" data-tone={covered === total ? 'ok' : 'warn'} title={missing.join('\n')}>
        {texts.coverage[kind]} {covered}/{total}
      </span>
    )
  })
}
