import { useState } from 'react'
import { Form } from '../ui/form.tsx'
import { useCommentTexts } from './comment-texts.ts'

interface CommentFormProps {
  /** The place in words. */
  readonly label: string
  readonly add: (text: string) => Promise<unknown>
  /** Undefined: the form stays open, empty. */
  readonly close?: () => void
}

/** Writes a comment on a place. */
export function CommentForm({ label, add, close }: CommentFormProps) {
  const texts = useCommentTexts()
  // A sent text leaves an empty form.
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
