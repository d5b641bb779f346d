// Made by build.mjs from thumbs/: pictures of scenes, by name.
export declare const thumbnails: Record<string, string>;
