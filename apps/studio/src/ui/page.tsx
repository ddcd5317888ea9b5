import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../texts/texts.tsx'

/** The layout of a page: its title, a sentence, its actions and its content. */
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
  /** The state of the object, shown next to the title. */
  readonly mark?: ReactNode
  readonly text?: ReactNode
  readonly actions?: ReactNode
  /** Links to the pages that share its navigation entry. */
  readonly tabs?: ReactNode
  /** True to keep the actions at the bottom of a phone's screen. */
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

/** Sets the title of the window. */
export function useTitle(title: string): void {
  const { common } = useTexts()
  useEffect(() => {
    document.title = `${title} · ${common.product}`
  }, [title, common])
}
