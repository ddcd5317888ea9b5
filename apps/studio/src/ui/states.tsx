import type { ReactNode } from 'react'
import { ApiError } from '../api/errors.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon, type IconName } from './icon.tsx'

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

/** A placeholder for a list without items: one sentence and one action. */
export function Empty({
  icon,
  title,
  text,
  children,
}: {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly children?: ReactNode
}) {
  return (
    <div className="state">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}

/** A placeholder for data that failed to load. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry?: () => unknown }) {
  const { errors, common } = useTexts()
  const status = error instanceof ApiError ? error.status : undefined
  const kind = status === 403 ? 'forbidden' : status === 404 ? 'unknown' : status === 0 ? 'unreachable' : 'other'
  return (
    <div className="state" role="alert">
      <Icon name={kind === 'forbidden' ? 'shield' : 'alert'} size={28} />
      <h2>{errors[kind].title}</h2>
      <p>{kind === 'forbidden' || kind === 'other' ? error.message : errors[kind].text}</p>
      <p className="muted">
        {kind === 'forbidden' ? errors.forbidden.text : kind === 'other' ? errors.other.text : null}
      </p>
      <RequestId error={error} />
      {retry !== undefined && (
        <button type="button" className="btn" onClick={() => void retry()}>
          {common.retry}
        </button>
      )}
    </div>
  )
}

/** A placeholder for missing data: it is loading, or failed to. */
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

/** The reason of a refused change, next to its control. */
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
