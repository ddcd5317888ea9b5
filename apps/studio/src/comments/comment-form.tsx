import { useState } from 'react'
import { Form } from '../ui/form.tsx'
import { useCommentTexts } from './comment-texts.ts'

interface CommentFormProps {
  /** Describes the commented part. */
  readonly label: string
  readonly add: (text: string) => Promise<unknown>
  /** Undefined: after sending, the form stays open and is cleared. */
  readonly close?: () => void
}

/** A form for a comment on one part. */
export function CommentForm({ label, add, close }: CommentFormProps) {
  const texts = useCommentTexts()
  // The key remounts the form, which clears a sent text.
  const [sent, setSent] = useState(0)
  return (
    <Form
      key={sent}
      fields={[{ name: 'text', label: texts.commentOn(label), kind: 'area' }]}
      submit={texts.comment}
      takesFocus={close !== undefined || sent > 0}
      {...(close !== undefined && { cancel: close })}
      send={async ({ text }) => {
        await add(text)
        if (close === undefined) setSent(sent + 1)
        else close()
      }}
    />
  )
}
