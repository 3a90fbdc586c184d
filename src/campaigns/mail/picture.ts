// How large a PNG or a JPEG is drawn: Outlook for Windows needs the width of a picture, or it takes its real size. Pure.

type Size = { width: number; height: number }

/** SOF0 to SOF15, without DHT, JPG and DAC, which are no frames (ITU-T T.81, table B.1). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Goes from segment to segment until one says the size (ITU-T T.81, B.2.2). */
function sizeOfJpeg(content: Buffer): Size | undefined {
  for (let at = 2; at + 9 < content.length && content[at] === 0xff;) {
    if (isFrame(content[at + 1] ?? 0))
      return { height: content.readUInt16BE(at + 5), width: content.readUInt16BE(at + 7) }
    at += 2 + content.readUInt16BE(at + 2)
  }
  return undefined
}

/** Pixels. @param content of a picture that begins as its type says; undefined where it does not go on so */
export function sizeOf(type: string, content: Buffer): Size | undefined {
  const isPng = type === 'image/png' && content.length >= 24
  const size = isPng
    ? { width: content.readUInt32BE(16), height: content.readUInt32BE(20) }
    : type === 'image/jpeg'
      ? sizeOfJpeg(content)
      : undefined
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}
