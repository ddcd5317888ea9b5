import type { DraftRuleset, Problem } from '@engine/authoring'
import { place } from '../../problem-text/pointer-text.ts'
import { problemText } from '../../problem-text/problem-words.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'

/** The problems of the draft in words, each with its position and a link to its step. */
export function Problems({
  draft,
  problems,
  select,
}: {
  readonly draft: DraftRuleset
  readonly problems: readonly Problem[]
  /** Selects the part of the draft at a JSON pointer. */
  readonly select: (path: string) => void
}) {
  const { editor, places, problemMessages } = useTexts()
  if (problems.length === 0) return <p className="muted">{editor.noProblems}</p>
  return (
    <ul className="problem-list">
      {problems.map(({ path, code, message, severity, step_id: id, line }, index) => (
        <li key={index}>
          <button
            type="button"
            className="btn"
            data-kind="quiet"
            disabled={id === undefined}
            onClick={() => select(path)}
          >
            <span style={{ color: `var(--${severity === 'error' ? 'bad' : 'warn'})` }}>
              <Icon name="alert" size={14} />
            </span>
            <span className="vh">{editor.severities[severity]}</span>
            <span className="problem-text">
              {problemText({ code, message }, problemMessages)}
              <span className="muted">
                {place(path, draft, places)}
                {line !== undefined && line > 1 && `, ${editor.line(line)}`}
              </span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}
