import { useState } from 'react'
import { ApiError, errorOf, reached } from '../api/errors.ts'
import { downloadBlob } from './download.ts'
import { Icon } from './icon.tsx'
import { Refusal } from './states.tsx'

interface LinesDownloadProps {
  readonly href: string
  /** Name of the file. */
  readonly file: string
  readonly label: string
  readonly title?: string
}

/** Downloads all items of a list as NDJSON, a format that a link cannot request. */
export function LinesDownload({ href, file, label, title }: LinesDownloadProps) {
  const [error, setError] = useState<Error | null>(null)
  const load = async () => {
    const response = await reached(fetch(href, { headers: { accept: 'application/x-ndjson' } }))
    if (!response.ok) throw new ApiError(response.status, undefined, response.headers.get('x-request-id'))
    downloadBlob(file, await reached(response.blob()))
  }
  return (
    <>
      <Refusal error={error} />
      <button
        type="button"
        className="btn"
        title={title}
        onClick={() => {
          setError(null)
          load().catch((thrown: unknown) => setError(errorOf(thrown)))
        }}
      >
        <Icon name="download" size={14} />
        {label}
      </button>
    </>
  )
}
