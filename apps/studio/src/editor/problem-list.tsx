import type { Problem } from '@engine/authoring'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

/** The problems of the draft; each links to its step. */
export function Problems({
  problems,
  select,
}: {
  readonly problems: readonly Problem[]
  /** Selects a place in the draft, by its JSON pointer. */
  readonly select: (path: string) => void
}) {
  const { editor } = useTexts()
  if (problems.length === 0) return <p className="muted">{editor.noProblems}</p>
  return (
    <ul className="problem-list">
      {problems.map(({ path, message, severity, step_id: id, line, column }, index) => (
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
            {message}
            <code className="muted">
              {path}
              {line !== undefined && ` ${line}:${column}`}
            </code>
          </button>
        </li>
      ))}
    </ul>
  )
}
