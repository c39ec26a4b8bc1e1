# SPDX-License-Identifier: Apache-2.0
from PIL import Image, ImageDraw
image = Image.new("RGB", (40, 20), "white")
ImageDraw.Draw(image).rectangle((5, 5, 20, 15), fill="red")
image.save("box.png")
print(Image.open("box.png").size, image.getpixel((10, 10)), image.getcolors())
