// Is this the browser inside another app, as mail and chat programs open links in? Some authorization servers refuse to
// sign anybody in there, and it forgets cookies. A guess by the User-Agent: it only adds advice, and keeps nobody out. Pure.

/** Android marks its WebView with `wv`; on iOS an app's web view lacks the `Safari/` that every browser there has. */
export function isInAppBrowser(userAgent: string | undefined): boolean {
  if (userAgent === undefined) return false
  if (
    /;\s?wv\)|\bFBA[NV]\b|\bInstagram\b|\bLinkedInApp\b|\bLine\/|\bMicroMessenger\b|\bSlack(_SSB)?\//.test(
      userAgent,
    )
  )
    return true
  return (
    /\b(iPhone|iPad|iPod)\b/.test(userAgent) && /AppleWebKit\//.test(userAgent) && !/Safari\//.test(userAgent)
  )
}
