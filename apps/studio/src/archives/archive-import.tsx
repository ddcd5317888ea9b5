import { useState } from 'react'
import type { components } from '../api/schema.ts'
import { errorOf } from '../api/errors.ts'
import '../styles/archives.css'
import { Icon } from '../ui/icon.tsx'
import { Refusal } from '../ui/states.tsx'
import { useArchiveTexts } from './archive-texts.ts'

export type Imported = components['schemas']['Imported']

interface ArchiveImportProps {
  readonly submit: string
  /** Whether the user may choose to remove files that the archive lacks. */
  readonly canPrune?: boolean
  /** A dry run returns the problems and changes. */
  readonly send: (
    file: File,
    type: string,
    query: { readonly dry_run: boolean; readonly prune: boolean },
  ) => Promise<Imported>
  readonly done: (imported: Imported) => void
}

/** Lets the user choose an archive, previews its changes, then imports it. */
export function ArchiveImport({ submit, canPrune = false, send, done }: ArchiveImportProps) {
  const texts = useArchiveTexts()
  const [file, setFile] = useState<File>()
  const [isPruned, setPruned] = useState(false)
  const [preview, setPreview] = useState<Imported>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const run = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    await act().catch((thrown: unknown) => setError(errorOf(thrown)))
    setBusy(false)
  }
  const request = (chosen: File, dry_run: boolean, prune: boolean) => send(chosen, typeOf(chosen), { dry_run, prune })
  const read = (chosen: File, prune: boolean) => {
    setFile(chosen)
    setPruned(prune)
    setPreview(undefined)
    void run(async () => setPreview(await request(chosen, true, prune)))
  }
  const isRefused = preview?.problems.some(({ severity }) => severity === 'error') ?? true
  return (
    <div className="stack archive-import">
      <div className="row wrap">
        <label className="btn" data-kind={file === undefined ? 'primary' : undefined}>
          {file === undefined ? texts.choose : texts.chooseOther}
          <input
            className="vh"
            type="file"
            accept=".gz,.tgz,.json"
            onChange={({ target }) => {
              const [chosen] = target.files ?? []
              if (chosen !== undefined) read(chosen, isPruned)
              target.value = ''
            }}
          />
        </label>
        <span className="muted">{file?.name ?? texts.kinds}</span>
      </div>
      {canPrune && file !== undefined && (
        <label className="check">
          <input type="checkbox" checked={isPruned} onChange={({ target }) => read(file, target.checked)} />
          {texts.prune}
        </label>
      )}
      <Refusal error={error} />
      <div role="status">
        {isBusy && preview === undefined ? texts.reading : preview !== undefined && <Preview imported={preview} />}
      </div>
      {file !== undefined && !isRefused && (
        <div>
          <button
            type="button"
            className="btn"
            data-kind="primary"
            aria-disabled={isBusy || undefined}
            onClick={() => isBusy || void run(async () => done(await request(file, false, isPruned)))}
          >
            {submit}
          </button>
        </div>
      )}
    </div>
  )
}

const typeOf = ({ name }: File) => (name.endsWith('.json') ? 'application/json' : 'application/gzip')

/** The problems of an archive, or the files that it would change. */
function Preview({ imported: { problems, ...files } }: { readonly imported: Imported }) {
  const texts = useArchiveTexts()
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.filter(({ severity }) => severity !== 'error')
  const changes = (['created', 'changed', 'removed'] as const).filter((kind) => files[kind].length > 0)
  return (
    <div className="stack">
      {errors.length > 0 ? (
        <div className="note" data-tone="bad">
          <Icon name="alert" />
          <div>
            <p>{texts.problems(errors.length)}</p>
            <Problems problems={errors} />
          </div>
        </div>
      ) : (
        changes.length === 0 && <p className="muted">{texts.nothing}</p>
      )}
      {changes.map((kind) => (
        <details key={kind}>
          <summary>{texts[kind](files[kind].length)}</summary>
          <ul>
            {files[kind].map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {warnings.length > 0 && (
        <details>
          <summary>{texts.warnings(warnings.length)}</summary>
          <Problems problems={warnings} />
        </details>
      )}
    </div>
  )
}

function Problems({ problems }: Pick<Imported, 'problems'>) {
  const texts = useArchiveTexts()
  return (
    <ul>
      {problems.map(({ file, line, path, message }) => (
        <li key={`${file} ${path} ${message}`}>
          <code>{texts.place(file, line)}</code> {message}
        </li>
      ))}
    </ul>
  )
}
