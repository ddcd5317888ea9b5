import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.tsx'
import { useTitle } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

/**
 * Replaces a page that failed because of a defect, or because an update of the platform has removed a script that it
 * loads.
 */
export function Crashed({ error }: ErrorComponentProps) {
  const { errors } = useTexts()
  const { title, text, reload } = errors.crashed
  useTitle(title)
  return (
    <main id="main" tabIndex={-1}>
      <h1 className="vh">{title}</h1>
      <Empty picture="search" title={title} text={text}>
        <button type="button" className="btn" data-look="primary" onClick={() => location.reload()}>
          {reload}
        </button>
        <details>
          <summary>{errors.details}</summary>
          <p>{error instanceof Error ? error.message : String(error)}</p>
        </details>
      </Empty>
    </main>
  )
}
