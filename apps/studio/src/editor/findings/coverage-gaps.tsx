import { place } from '../../problem-text/pointer-text.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { pretty } from '../../ui/json-text.ts'
import { useEditor } from '../state/editor-context.ts'
import { uncovered } from './uncovered.ts'

/** Number of initially listed parts: each test often covers several. */
const MAX_SHOWN = 12

/** Rows, branches and “otherwise” that no saved test reaches, each with an input for a new test. */
export function CoverageGaps() {
  const { findings: words, places } = useTexts()
  const { draft, checks, findings, saveAsTest, selectPath, session } = useEditor()
  if (findings.inputs.size === 0) return null
  const open = uncovered(draft, checks.coverage?.hits, findings.inputs)
  if (open.length === 0) return <p className="muted">{words.allCovered}</p>
  return (
    <section className="coverage-gaps" aria-label={words.notCovered(open.length)}>
      <h3>{words.notCovered(open.length)}</h3>
      <ul>
        {open.slice(0, MAX_SHOWN).map(({ path, place: at, input, stubs }) => (
          <li key={path} className="row">
            <button type="button" className="btn" data-kind="quiet" onClick={() => selectPath(path)}>
              {place(at, draft, places)}
            </button>
            <span className="grow" />
            {session !== undefined && (
              <button type="button" className="btn" onClick={() => saveAsTest(pretty(input), stubs)}>
                <Icon name="test" size={13} />
                {words.createTest}
                <span className="vh"> {place(at, draft, places)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
