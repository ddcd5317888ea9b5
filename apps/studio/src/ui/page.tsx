import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../texts/texts.tsx'

/** A page of the frame: its title, one sentence, its actions and its content. */
export function Page({
  title,
  mark,
  text,
  actions,
  tabs,
  hasFixedActions = false,
  children,
}: {
  readonly title: string
  /** The state of the object, next to its title. */
  readonly mark?: ReactNode
  readonly text?: ReactNode
  readonly actions?: ReactNode
  /** Links to the pages that share its entry of the navigation. */
  readonly tabs?: ReactNode
  /** On a phone they stay at the bottom, always in view. */
  readonly hasFixedActions?: boolean
  readonly children: ReactNode
}) {
  useTitle(title)
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="in">
        <div className="head">
          <div>
            {mark === undefined ? (
              <h1>{title}</h1>
            ) : (
              <div className="row wrap">
                <h1>{title}</h1>
                {mark}
              </div>
            )}
            {text !== undefined && <p>{text}</p>}
          </div>
          {actions !== undefined && (
            <div className="page-actions" data-fixed={hasFixedActions ? '' : undefined}>
              {actions}
            </div>
          )}
        </div>
        {tabs}
        {children}
      </div>
    </main>
  )
}

/** The title of the window. */
export function useTitle(title: string): void {
  const { common } = useTexts()
  useEffect(() => {
    document.title = `${title} · ${common.product}`
  }, [title, common])
}
