import { useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useState } from 'react'
import { upload } from '../api/client.ts'
import { keyOf } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { errorOf } from '../api/errors.ts'
import { useIds, useMay } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import '../styles/imports.css'
import { useTexts } from '../texts/texts.tsx'
import { useImportTexts } from './import-texts.ts'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Refusal } from '../ui/states.tsx'
import { type ChosenFile, type Format, FORMATS, formatOf, mergeReports, refusedReport } from './import-files.ts'
import { ImportReport } from './import-report.tsx'

type Report = components['schemas']['ImportReport']

const IMPORTS = '/api/v1/orgs/{oid}/projects/{pid}/imports'

/** Imports files of other rule engines: first a report, then drafts. */
export function ImportPage() {
  const texts = useImportTexts()
  const { errors } = useTexts()
  const { oid, pid } = useIds()
  const client = useQueryClient()
  const mayImport = useMay('ruleset.edit')
  const [files, setFiles] = useState<readonly ChosenFile[]>([])
  const [report, setReport] = useState<Report>()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [done, setDone] = useState<number>()
  const put = (next: readonly ChosenFile[]) => {
    setFiles(next)
    setReport(undefined)
    setError(null)
  }
  const add = async (list: FileList | null) => {
    const added = await Promise.all(Array.from(list ?? [], chosen))
    if (added.length > 0) put([...files, ...added])
  }
  const send = (file: ChosenFile, isApplied: boolean) => importFile({ oid, pid }, file, isApplied)
  const run = async (act: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    await act().catch((thrown: unknown) => setError(errorOf(thrown)))
    setBusy(false)
  }
  const check = () =>
    run(async () => {
      const reports: Report[] = []
      // Sequential: the platform parses documents on few threads.
      for (const file of files)
        reports.push(
          await send(file, false).then(
            (answer) => answer.report,
            (thrown: unknown) => refusedReport(errorOf(thrown)),
          ),
        )
      setReport(
        mergeReports(
          reports,
          files.map(({ file }) => file.name),
        ),
      )
    })
  const apply = () =>
    run(async () => {
      let count = 0
      const waiting = [...files]
      for (const file of files) {
        count += (await send(file, true)).rulesets.length
        waiting.shift()
        // When a later file is rejected, a retry skips the files that are already stored.
        setFiles([...waiting])
      }
      await client.invalidateQueries({ queryKey: keyOf('/api/v1/orgs/{oid}/projects/{pid}/rulesets') })
      setReport(undefined)
      setDone(count)
    })
  if (done !== undefined) return <Done count={done} again={() => setDone(undefined)} />
  return (
    <Page title={texts.title} text={texts.text}>
      <div className="stack">
        <Drop
          isOff={!mayImport}
          reason={mayImport ? undefined : errors.needs('ruleset.edit')}
          add={(list) => void add(list)}
        />
        {files.length > 0 && (
          <section className="card" aria-label={texts.documents}>
            <ul className="import-files">
              {files.map((file, index) => (
                <FileRow
                  key={index}
                  file={file}
                  change={(next) => put(files.with(index, next))}
                  remove={() => put(files.toSpliced(index, 1))}
                />
              ))}
            </ul>
            <footer className="row body">
              <span className="grow" />
              <button
                type="button"
                className="btn"
                data-kind={report === undefined ? 'primary' : undefined}
                aria-disabled={isBusy || undefined}
                onClick={() => isBusy || void check()}
              >
                {isBusy ? texts.checking : texts.check}
              </button>
            </footer>
          </section>
        )}
        <Refusal error={error} />
        {report !== undefined && <ImportReport report={report} isBusy={isBusy} apply={() => void apply()} />}
      </div>
    </Page>
  )
}

/** Sends a file with its options; without `isApplied` nothing is stored. */
function importFile(
  path: { readonly oid: string; readonly pid: string },
  { file, format, name, decision, repeatsInput }: ChosenFile,
  isApplied: boolean,
) {
  const query = {
    format,
    apply: isApplied,
    ...(name !== '' && { name }),
    ...(format === 'dmn' && decision !== '' && { decision }),
    ...(format === 'jdm' && !repeatsInput && { repeat_input: false }),
  }
  return upload(IMPORTS, { path, query }, file, FORMATS[format])
}

/** Shown after an import. */
function Done({ count, again }: { readonly count: number; readonly again: () => void }) {
  const texts = useImportTexts()
  const { oid, pid } = useIds()
  return (
    <Page title={texts.title} text={texts.text}>
      <div className="card body stack" role="status">
        <p className="note" data-tone="ok">
          <Icon name="ok" />
          <span>{texts.done(count)}</span>
        </p>
        <div className="row wrap">
          <Go to={paths.rulesets(oid, pid)} className="btn" data-kind="primary">
            {texts.open}
          </Go>
          <button type="button" className="btn" onClick={again}>
            {texts.again}
          </button>
        </div>
      </div>
    </Page>
  )
}

async function chosen(file: File): Promise<ChosenFile> {
  const format = await formatOf(file)
  return { file, format, name: '', decision: '', repeatsInput: true }
}

/** A drop zone for files, with a button to choose them. */
function Drop({
  isOff,
  reason,
  add,
}: {
  readonly isOff: boolean
  readonly reason: string | undefined
  readonly add: (files: FileList | null) => void
}) {
  const texts = useImportTexts()
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(!isOff)
  }
  return (
    <div
      className="card import-drop"
      data-over={isOver ? '' : undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        if (!isOff) add(event.dataTransfer.files)
      }}
    >
      <Icon name="down" size={20} />
      <p>{texts.drop}</p>
      <p className="muted">{texts.kinds}</p>
      <label className="btn" data-kind="primary" data-off={isOff ? '' : undefined} title={reason}>
        <Icon name="plus" />
        {texts.choose}
        <input
          className="vh"
          type="file"
          multiple
          accept=".json,.dmn,.xml,.xlsx,.csv"
          disabled={isOff}
          onChange={({ target }) => {
            add(target.files)
            target.value = ''
          }}
        />
      </label>
      {reason !== undefined && <p className="muted">{reason}</p>}
    </div>
  )
}

function FileRow({
  file,
  change,
  remove,
}: {
  readonly file: ChosenFile
  readonly change: (file: ChosenFile) => void
  readonly remove: () => void
}) {
  const texts = useImportTexts()
  return (
    <li>
      <div className="row import-file">
        <Icon name="table" size={16} />
        <b className="grow">{file.file.name}</b>
        <button
          type="button"
          className="btn icon"
          data-kind="quiet"
          aria-label={texts.remove(file.file.name)}
          onClick={remove}
        >
          <Icon name="x" size={14} />
        </button>
      </div>
      <div className="import-options">
        <label className="field">
          <span className="label">{texts.format}</span>
          <select
            className="input"
            value={file.format}
            onChange={({ target }) => change({ ...file, format: target.value as Format })}
          >
            {Object.keys(FORMATS).map((one) => (
              <option key={one} value={one}>
                {texts.formats[one as Format]}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          <span className="label">{texts.name}</span>
          <input
            className="input"
            placeholder={texts.nameHint}
            value={file.name}
            onChange={({ target }) => change({ ...file, name: target.value.trim() })}
          />
        </label>
        {file.format === 'dmn' && (
          <label className="field">
            <span className="label">{texts.decision}</span>
            <input
              className="input"
              placeholder={texts.decisionHint}
              value={file.decision}
              onChange={({ target }) => change({ ...file, decision: target.value })}
            />
          </label>
        )}
        {file.format === 'jdm' && (
          <label className="check">
            <input
              type="checkbox"
              checked={file.repeatsInput}
              onChange={({ target }) => change({ ...file, repeatsInput: target.checked })}
            />
            {texts.repeatInput}
          </label>
        )}
      </div>
    </li>
  )
}
