import { type ReactNode, useState } from 'react'
import { ApiError } from '../api/errors.ts'
import { useTexts } from '../texts/texts.tsx'
import { copyLabel, copyText } from './copy-text.ts'
import { Icon } from './icon.tsx'
import { Picture, type PictureName } from './picture.tsx'

/** A placeholder while data loads; it appears after 200 ms. */
export function Skeleton({ lines = 5 }: { readonly lines?: number }) {
  const { common } = useTexts()
  return (
    <div className="skeleton" role="status">
      <div className="vh">{common.loading}</div>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={{ width: `${92 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  )
}

/** A placeholder for a list without items: a picture, one sentence and one action. */
export function Empty({
  picture,
  title,
  text,
  children,
}: {
  readonly picture: PictureName
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}) {
  return (
    <div className="state">
      <Picture name={picture} />
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}

/** A card shown instead of data that failed to load: error, remedy, and the request id for operators. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry?: () => unknown }) {
  const { errors, common } = useTexts()
  const status = error instanceof ApiError ? error.status : undefined
  const kind = status === 403 ? 'forbidden' : status === 404 ? 'unknown' : status === 0 ? 'unreachable' : 'other'
  return (
    <div className="failure" role="alert" data-kind={kind}>
      <Icon name={kind === 'forbidden' ? 'lock' : 'alert'} size={16} />
      <div>
        <h2>{errors[kind].title}</h2>
        <p>{errors[kind].text}</p>
        <div className="row wrap">
          {retry !== undefined && (
            <button type="button" className="btn" onClick={() => void retry()}>
              <Icon name="retry" size={14} />
              {common.retry}
            </button>
          )}
          {kind === 'forbidden' && <CopyRequest error={error} />}
        </div>
        {kind !== 'unreachable' && (
          <details>
            <summary>{errors.details}</summary>
            <p>{error.message}</p>
            <RequestId error={error} />
          </details>
        )}
      </div>
    </div>
  )
}

/** Copies a sentence that requests the missing permission. */
function CopyRequest({ error }: { readonly error: Error }) {
  const { errors, common } = useTexts()
  const [isCopied, setCopied] = useState<boolean>()
  const copy = () => void copyText(errors.forbidden.request(location.href, error.message)).then(setCopied)
  return (
    <button type="button" className="btn" onClick={copy}>
      <Icon name={isCopied === true ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{copyLabel(isCopied, errors.forbidden.ask, common)}</span>
    </button>
  )
}

/** A placeholder for missing data, which is loading or failed to load. */
export function Pending({
  of: { error, refetch },
  lines,
}: {
  readonly of: { readonly error: Error | null; readonly refetch: () => unknown }
  readonly lines?: number
}) {
  if (error !== null) return <Failed error={error} retry={refetch} />
  return <Skeleton {...(lines !== undefined && { lines })} />
}

/** The reason for a rejected change, shown next to its control. */
export function Refusal({ error }: { readonly error: Error | null | undefined }) {
  const { errors } = useTexts()
  if (error === null || error === undefined) return null
  const isUnreachable = error instanceof ApiError && error.status === 0
  return (
    <div className="note" data-tone="bad" role="alert">
      <Icon name="alert" />
      <div>
        {isUnreachable ? errors.unreachable.text : error.message} <RequestId error={error} />
      </div>
    </div>
  )
}

function RequestId({ error }: { readonly error: Error }) {
  const { errors } = useTexts()
  if (!(error instanceof ApiError) || error.requestId === undefined) return null
  return (
    <small className="muted">
      {errors.requestId} <code>{error.requestId}</code>
    </small>
  )
}
