import type { ReactNode } from 'react'
import { FormBox } from './form.tsx'

/** A confirmation dialog for an action that cannot be undone. */
export function Confirm({
  title,
  text,
  submit,
  send,
  close,
}: {
  readonly title: string
  readonly text: ReactNode
  readonly submit: string
  readonly send: () => Promise<unknown>
  readonly close: () => void
}) {
  return (
    <FormBox
      title={title}
      fields={[]}
      submit={submit}
      kind="bad"
      close={close}
      send={async () => {
        await send()
        close()
      }}
    >
      <p>{text}</p>
    </FormBox>
  )
}
