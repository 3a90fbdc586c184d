// Enhances pages that also work without scripts. A slow click shows that it was accepted, and is accepted once. A
// waiting page (data-url) polls our origin for the person's progress, and shows the news. For browsers without
// scripts, such a page has a Refresh header, which stop() cancels. Nothing moves while the page is in use.
;(() => {
  const { slow } = document.currentScript.dataset
  const line = document.createElement('p')
  line.className = 'quiet small slow'
  line.setAttribute('role', 'status')
  let timers = []

  function release() {
    timers.forEach(clearTimeout)
    line.textContent = ''
    document.querySelector('[aria-busy]')?.removeAttribute('aria-busy')
  }

  function press(event, control) {
    if (control.hasAttribute('aria-busy')) return event.preventDefault()
    release()
    control.setAttribute('aria-busy', 'true')
    const place = control.closest('.field, .ways, .actions, form') ?? control
    place.after(line)
    timers = [setTimeout(() => (line.textContent = slow), 4_000), setTimeout(release, 30_000)]
  }

  addEventListener('click', (event) => {
    const link = event.target.closest('a.button')
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
    if (link !== null && isPlain) press(event, link)
  })
  addEventListener('submit', (event) => event.submitter && press(event, event.submitter))
  // The page was stopped, or shown again by the back button.
  addEventListener('keydown', ({ key }) => key === 'Escape' && release())
  addEventListener('pageshow', release)
})()
;(() => {
  const { url, status, often, left, news } = document.currentScript.dataset
  if (url === undefined) return
  const seldom = Date.now() + often * 1000
  const over = Date.now() + left * 1000
  let isOver = false

  const isUsed = () => {
    const active = document.activeElement
    const isFocused = active !== null && active !== document.body && !active.hasAttribute('autofocus')
    return (
      isFocused ||
      document.querySelector('details[open], [aria-busy]') !== null ||
      String(getSelection()) !== ''
    )
  }

  /** The control shows the news, because there is nothing left to stop. */
  function tell() {
    const control = document.getElementById('control')
    control.href = control.dataset.href
    control.textContent = control.dataset.label
    document.getElementById('news').textContent = news
  }

  /** While the page is in use, it only announces the news and waits. */
  function goOn() {
    if (!isUsed()) return location.replace(url)
    if (!isOver) tell()
    isOver = true
    setTimeout(goOn, 2000)
  }

  async function ask() {
    const response = await fetch('/api/status', { headers: { accept: 'application/json' } })
    if (response.status === 401) return true
    if (!response.ok) return false
    const { connected, pending, skipped } = await response.json()
    return [connected, pending, skipped].join(' ') !== status
  }

  async function look() {
    // A check would compete with that of a click.
    if (document.hidden || document.querySelector('[aria-busy]')) return next()
    if (Date.now() >= over || (await ask().catch(() => false))) return goOn()
    next()
  }

  function next() {
    const pause = Date.now() < seldom ? 5_000 : 30_000
    const left = over - Date.now()
    setTimeout(look, left > 0 ? Math.min(pause, left) : pause)
  }

  addEventListener('load', () => {
    stop()
    next()
  })
})()
