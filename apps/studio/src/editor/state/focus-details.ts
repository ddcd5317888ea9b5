/** Select a step, and go on in the fields that show it: its details, or the cells of a table. */
export function focusDetails(id: string, select: (id: string) => void): void {
  select(id)
  requestAnimationFrame(() =>
    document
      .querySelector<HTMLElement>('.details .cm-content, .details input, .stage [role=grid], .stage .cm-content')
      ?.focus(),
  )
}
