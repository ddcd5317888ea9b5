import type { DraftRuleset, TableStep } from '@engine/authoring'
import type { DraftFinding } from '../../language/tasks.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Apply } from '../state/editing.ts'
import { withRowFor } from './finding-edits.ts'
import { findingText, inputText } from './finding-words.ts'

interface GapNoteProps {
  readonly draft: DraftRuleset
  readonly step: TableStep
  readonly gap: DraftFinding
  /** Undefined: read-only. */
  readonly apply: Apply | undefined
  readonly showFindings: () => void
}

/** Shown below a table: an input that no row matches, its result, and a button that adds a row for it. */
export function GapNote({ draft, step, gap, apply, showFindings }: GapNoteProps) {
  const { findings: words } = useTexts()
  const { input } = gap
  return (
    <div className="row gap-note">
      <Icon name="gap" size={14} />
      <b>{words.kinds.gap}</b>
      <span title={findingText(gap, draft, words)}>
        {input === undefined ? findingText(gap, draft, words) : words.example(inputText(input))}
      </span>
      {apply !== undefined && input !== undefined && (
        <button
          type="button"
          className="btn"
          onClick={() => apply(words.addRow, (old) => withRowFor(old, step.id, input))}
        >
          {words.addRow}
        </button>
      )}
      <button type="button" className="btn" data-kind="quiet" onClick={showFindings}>
        {words.show}
      </button>
    </div>
  )
}
